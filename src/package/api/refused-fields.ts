/**
 * Fields of OpenAI's API that Midtoken does not support. Fields that would change the answer are refused by name; the others
 * are accepted and ignored.
 */
import type { BodyFields } from "./body-fields.ts";

export interface RefusedField {
  readonly field: string;
  /** The advice that ends the error: "leave it out". */
  readonly cure: string;
  /** Whether a value has no effect, so that the field can be accepted. */
  readonly isHarmless?: (value: unknown) => boolean;
}

const isOneOf =
  (...values: readonly unknown[]) =>
  (value: unknown): boolean =>
    values.includes(value);

/** Refused fields of `POST /v1/chat/completions`. */
export const refusedInChat: readonly RefusedField[] = [
  { field: "audio", cure: "leave it out: these models answer in text" },
  {
    field: "modalities",
    cure: 'leave it out, or write ["text"]: these models answer in text',
    isHarmless: (value) => Array.isArray(value) && value.length === 1 && value[0] === "text",
  },
  { field: "functions", cure: "give the functions as tools" },
  { field: "function_call", cure: "use tool_choice instead" },
  {
    field: "reasoning_effort",
    cure: 'write "none", or use chat_template_kwargs { "enable_thinking": true }: the model or a mod decides how long the model thinks',
    isHarmless: isOneOf("none"),
  },
  {
    field: "verbosity",
    cure: "leave it out, and ask for a short or a long answer in a message",
    isHarmless: isOneOf("medium"),
  },
  { field: "web_search_options", cure: "leave it out, and offer a search as a tool" },
  { field: "moderation", cure: "leave it out: answers are not moderated here" },
];

/** Refused fields of `POST /v1/completions`. */
export const refusedInText: readonly RefusedField[] = [
  {
    field: "suffix",
    cure: "leave it out: these models only continue a text",
    isHarmless: isOneOf(""),
  },
];

/** Fields that are accepted and ignored: they tell a hosted service how to store, bill, cache and schedule the answer. */
const withoutEffect: readonly string[] = [
  "metadata",
  "store",
  "service_tier",
  "prediction",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
  "safety_identifier",
];

/** Accepts the fields without effect. @throws ApiError, 400, that names the first refused field, its value and what to do instead. */
export function refuseFields(body: BodyFields, refused: readonly RefusedField[]): void {
  for (const { field, cure, isHarmless } of refused) {
    const value = body.takeUnlisted(field);
    if (value === undefined || isHarmless?.(value)) continue;
    throw body.refusal(field, value, cure, "unsupported_parameter");
  }
  for (const field of withoutEffect) body.take(field);
}
