/** Fields of OpenAI's `POST /v1/responses` that would change the answer but are not supported. */
import type { RefusedField } from "../refused-fields.ts";

export const refusedInResponses: readonly RefusedField[] = [
  {
    field: "background",
    cure: "leave it out, and stream the answer: a response cannot continue after its request has ended",
    isHarmless: (value) => value === false,
  },
  { field: "conversation", cure: "leave it out, and use previous_response_id instead" },
  { field: "context_management", cure: "leave it out, and shorten the input yourself" },
  { field: "prompt", cure: "leave it out, and send the text of the stored prompt as instructions or input" },
  { field: "moderation", cure: "leave it out: answers are not moderated here" },
  { field: "image", cure: "leave it out: these models answer in text" },
  { field: "access_programs", cure: "leave it out" },
  {
    field: "truncation",
    cure: 'leave it out, or write "disabled": an input that is longer than the context is refused',
    isHarmless: (value) => value === "disabled",
  },
];
