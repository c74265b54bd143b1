/** The limit in bytes for a body with a prompt, so that a prompt too long for every loaded model is refused before its JSON is parsed. */
import type { MidtokenEngine } from "../api/midtoken-engine.ts";
import { promptTooLongError } from "../api/prompt-size.ts";
import { type BodyLimit, bodyLimit } from "./read-json-body.ts";

/** The most bytes in which JSON can write one character of a prompt: `\u0041`. */
const mostBytesOfUnit = 6;

/**
 * Bytes for everything except the prompt: schemas, tools, white space, and earlier answers that a chat template leaves out.
 */
const bytesBesidePrompt = 1_048_576;

/**
 * The limit for a body with one prompt. If a model's longest prompt is unknown, the limit is `most`.
 * @param field the field of the body that contains the prompt
 */
export function promptBodyLimit(
  { models }: MidtokenEngine,
  field: "messages" | "input",
  most: number,
): BodyLimit {
  const longest = models
    .list()
    .reduce((bytes, { loaded }) => Math.max(bytes, loaded?.promptBytes ?? Number.POSITIVE_INFINITY), 0);
  const bytes = bytesBesidePrompt + mostBytesOfUnit * longest;
  if (longest === 0 || bytes >= most) return bodyLimit(most);
  return {
    bytes,
    error: () =>
      promptTooLongError(
        `The body has more than ${bytes} bytes, but the longest prompt that a loaded model can read has ${longest} bytes: shorten the prompt.`,
        field,
      ),
  };
}
