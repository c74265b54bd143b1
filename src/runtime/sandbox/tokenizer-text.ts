/** A tokenizer's files as guests are sent them. */
import { randomId } from "../../core/base/random-id.ts";
import type { TokenizerData } from "../../core/tokenizer/create-tokenizer.ts";
import type { TokenizerText } from "./protocol.ts";

const texts = new WeakMap<TokenizerData, TokenizerText>();

/** The same for the same data: spares that were given it (`SandboxPool.prepare`) load mods at once. */
export function tokenizerText(data: TokenizerData): TokenizerText {
  const known = texts.get(data);
  if (known) return known;
  const text = { key: randomId(), json: JSON.stringify(data) };
  texts.set(data, text);
  return text;
}
