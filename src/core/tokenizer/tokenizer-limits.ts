/** Limits of a tokenizer's file, checked before anything is built from it: a hostile file could take minutes and gigabytes. */
import { isRecord } from "../base/record.ts";
import type { JsonObject } from "../masks/vocabulary/entry-bytes.ts";

/**
 * Gemma 3, the largest tokenizer in common use, has 262,144 entries, 514,906 merges, and 6,415 added tokens (about 77,000
 * characters). XLM-RoBERTa, the largest Unigram, has about 1.7 million characters in its entries. `tokenizer-memory.test.ts`
 * measures the memory.
 */
export const tokenizerLimits = {
  entries: 2 ** 20,
  merges: 2 ** 21,
  addedTokens: 2 ** 16,
  /** Characters of all entries together, and of all merges. */
  characters: 32e6,
  /** Characters of added tokens: the library makes two search trees of them, with an object of 170 bytes for each character. */
  addedCharacters: 500_000,
  /** Characters of a Unigram model's entries: a search tree of 180 bytes for each character. */
  unigramCharacters: 4e6,
} as const;

/** @throws Error that names the exceeded limit, the number found and the number allowed. */
export function checkTokenizerSize({ model, added_tokens: added }: JsonObject): void {
  const { vocab, merges } = isRecord(model) ? model : {};
  const isList = Array.isArray(vocab);
  const entries = isList ? vocab.map(nameOf) : Object.keys(isRecord(vocab) ? vocab : {});
  refuse("entries", entries.length, tokenizerLimits.entries);
  const { characters, addedCharacters, unigramCharacters } = tokenizerLimits;
  refuse("characters in its entries", charactersOf(entries), isList ? unigramCharacters : characters);
  if (Array.isArray(merges)) {
    refuse("merges", merges.length, tokenizerLimits.merges);
    refuse("characters in its merges", charactersOfMerges(merges), characters);
  }
  const contents = Array.isArray(added)
    ? added.map((token) => nameOf(isRecord(token) ? [token.content] : []))
    : [];
  refuse("added tokens", contents.length, tokenizerLimits.addedTokens);
  refuse("characters in its added tokens", charactersOf(contents), addedCharacters);
}

function charactersOfMerges(merges: readonly unknown[]): number {
  let sum = 0;
  for (const merge of merges) {
    const parts: readonly unknown[] = Array.isArray(merge) ? merge : [merge];
    for (const part of parts) if (typeof part === "string") sum += part.length;
  }
  return sum;
}

/** The text of a vocabulary entry. Unigram stores entries as pairs of a text and a score. */
function nameOf(entry: unknown): string {
  const first: unknown = Array.isArray(entry) ? entry[0] : entry;
  return typeof first === "string" ? first : "";
}

function charactersOf(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0);
}

function refuse(what: string, count: number, most: number): void {
  if (count > most) throw new Error(`the tokenizer has ${count} ${what}; the limit is ${most}.`);
}
