/** A tokenizer's files in the form that is sent to guests. */
import { randomId } from "../../core/base/random-id.ts";
import type { TokenizerData } from "../../core/tokenizer/create-tokenizer.ts";
import type { SerializedTokenizer } from "./protocol.ts";

const texts = new WeakMap<TokenizerData, SerializedTokenizer>();

/**
 * Returns the same object for the same data. Warm sandboxes that already have the tokenizer (`SandboxPool.prepare`) load
 * mods at once.
 */
export function serializeTokenizer(data: TokenizerData): SerializedTokenizer {
  const known = texts.get(data);
  if (known) return known;
  const text = { key: randomId(), json: JSON.stringify(data) };
  texts.set(data, text);
  return text;
}
