/** The ids of an answer's tool calls. */
import { mix32, randomBits } from "../../base/random.ts";

const ID_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

/**
 * Ids that repeat with the request and differ between calls and between turns of a conversation: `call_` and 24 characters
 * drawn from the seed and the prompt. A stream can send the id before the call is complete.
 */
export function toolCallId(seed: number, prompt: readonly number[], call: number): string {
  // The length is hashed first, so that the seed does not count as one more token.
  const key = prompt.reduce((hash, token) => mix32(hash ^ token), randomBits(seed, prompt.length));
  const characters = Array.from({ length: 24 }, (_, place) =>
    ID_CHARACTERS.charAt(randomBits(key, call * 24 + place) % ID_CHARACTERS.length),
  );
  return `call_${characters.join("")}`;
}
