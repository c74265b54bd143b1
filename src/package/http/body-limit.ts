/** How many bytes the body of a prompt may have: a prompt that no loaded model can read is refused before its JSON is parsed. */
import type { MidtokenEngine } from "../api/midtoken-engine.ts";
import { promptTooLong } from "../api/prompt-size.ts";
import { type BodyLimit, bodyLimit } from "./read-json-body.ts";

/** Bytes in which JSON may write one character that a prompt counts: `\u0041`. */
const mostBytesOfUnit = 6;

/** Bytes for everything beside the prompt: schemas, tools, white space, earlier answers that a chat template leaves out. */
const bytesBesidePrompt = 1_048_576;

/**
 * For a body with one prompt. A model whose longest prompt is not known allows `most`.
 * @param field of the body that has the prompt
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
      promptTooLong(
        `The body has more than ${bytes} bytes, and the longest prompt of a loaded model has ${longest} at most: shorten it.`,
        field,
      ),
  };
}
