/** Checks the arguments that users pass. */
import { isRecord } from "../../base/record.ts";
import { describeValue } from "../../base/show.ts";
import { isStrategy } from "../strategy.ts";
import type { TokenBytes } from "../vocabulary/token-texts.ts";
import { type TransformersTokenizer, vocabularyFromTokenizer } from "./vocabulary-from-tokenizer.ts";

/** @throws TypeError if the value is not a strategy. */
export function assertStrategy(value: unknown): void {
  if (isStrategy(value)) return;
  throw new TypeError(
    `${describeValue(value)} is not a strategy: make one, for example regex("\\\\d+"), jsonSchema(schema) or grammar(text).`,
  );
}

/**
 * Returns a vocabulary unchanged, or makes the vocabulary of a tokenizer.
 * @param eosTokenIds tokens that end a sequence, if they differ from those of the tokenizer; unused for a vocabulary
 * @throws TypeError for a value that is neither.
 */
export function toVocabulary(
  source: TokenBytes | TransformersTokenizer,
  eosTokenIds?: readonly number[],
): TokenBytes {
  if (isVocabulary(source)) return source;
  return vocabularyFromTokenizer(source, { eosTokenIds });
}

function isVocabulary(value: TokenBytes | TransformersTokenizer): value is TokenBytes {
  return isRecord(value) && typeof (value as Partial<TokenBytes>).tokenBytes === "function";
}
