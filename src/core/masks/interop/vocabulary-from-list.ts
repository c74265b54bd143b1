/** A vocabulary from a plain list, for engines that only know the text or the bytes of each token. */
import { describeValue } from "../../base/show.ts";
import { encodeUtf8 } from "../automaton/utf8.ts";
import { checkOptions } from "../strategies/arguments.ts";
import type { TokenBytes } from "../vocabulary/token-texts.ts";

export interface VocabularyListOptions {
  /** Tokens that end a sequence. They have no text, even if the list gives one. Default: none. */
  readonly eosTokenIds?: readonly number[];
  /**
   * The tokenizer's spelling of a text in the middle of another text, without special tokens and without an added space.
   * Only `forcedTokens` needs it: without it, no token is forced, because a spelling that the model does not know would
   * mislead it.
   */
  readonly encode?: (text: string) => readonly number[];
}

export const noBytes: Uint8Array = new Uint8Array(0);

/**
 * A vocabulary from what its tokens stand for: entry i is token i, as bytes (a token may be a part of a character) or as
 * text; null or empty for special tokens, which are then never allowed. Keep the result: what masks need of a vocabulary
 * is made once for each (SmolLM2's 49,152 tokens: some 50 ms).
 *
 * @example
 * const vocabulary = vocabularyFromList(["a", "b", "ab", null], { eosTokenIds: [3] });
 *
 * @throws TypeError for an entry that is neither bytes nor text, StrategyError for an unknown option. @throws RangeError for an
 * end of sequence outside the list.
 */
export function vocabularyFromList(
  tokens: readonly (Uint8Array | string | null)[],
  options: VocabularyListOptions = {},
): TokenBytes {
  checkOptions("vocabularyFromList", options, ["eosTokenIds", "encode"]);
  const { eosTokenIds = [], encode } = options;
  if (!Array.isArray(tokens) || tokens.length === 0)
    throw new TypeError(
      `A vocabulary is a list with an entry for every token, not ${describeValue(tokens)}.`,
    );
  const entries = tokens.map(bytesOfEntry);
  checkEndTokens(eosTokenIds, entries.length);
  return {
    vocabSize: entries.length,
    eosTokenIds: [...eosTokenIds],
    tokenBytes: (token) => entries[token] ?? noBytes,
    encode: (text) => (encode === undefined ? [] : [...encode(text)]),
  };
}

/** @throws RangeError for an id outside a vocabulary of this size. */
export function checkEndTokens(tokens: readonly number[], vocabSize: number): void {
  const wrong = tokens.find((token) => !Number.isInteger(token) || token < 0 || token >= vocabSize);
  if (wrong === undefined) return;
  throw new RangeError(
    `The end-of-sequence token ${describeValue(wrong)} is not in the vocabulary: give ids from 0 to ${vocabSize - 1}.`,
  );
}

function bytesOfEntry(entry: unknown, token: number): Uint8Array {
  if (entry instanceof Uint8Array) return entry;
  if (typeof entry === "string") return encodeUtf8(entry);
  if (entry === null || entry === undefined) return noBytes;
  throw new TypeError(
    `Token ${token} is ${describeValue(entry)}: give its bytes as a Uint8Array, its text, or null if it has none.`,
  );
}
