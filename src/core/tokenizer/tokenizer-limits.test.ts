import { expect, test } from "vitest";
import { createTokenizer } from "./create-tokenizer.ts";
import { sentencePieceFiles } from "./testing/sentencepiece.ts";
import { checkTokenizerSize, tokenizerLimits } from "./tokenizer-limits.ts";

const list = <Entry>(length: number, entry: Entry) => Array.from({ length }, () => entry);

test("as much as the limits say is taken, and one more is refused with both numbers", () => {
  const { merges, addedTokens, entries } = tokenizerLimits;
  const model = { type: "BPE", vocab: { a: 0 }, merges: list(merges, "a a") };
  const added_tokens = list(addedTokens, { id: 0, content: "a" });
  expect(() => checkTokenizerSize({ model, added_tokens })).not.toThrow();
  const unigram = (length: number, text: string) => ({ model: { vocab: list(length, [text, 0]) } });
  expect(() => checkTokenizerSize({ model: { ...model, merges: list(merges + 1, "a a") } })).toThrow(
    "the tokenizer has 2097153 merges; the limit is 2097152.",
  );
  expect(() => checkTokenizerSize({ model, added_tokens: list(addedTokens + 1, {}) })).toThrow(
    "65537 added tokens",
  );
  expect(() => checkTokenizerSize(unigram(entries + 1, "a"))).toThrow("1048577 entries");
  expect(() => checkTokenizerSize(unigram(5, "a".repeat(1e6)))).toThrow(
    "5000000 characters in its entries; the limit is 4000000",
  );
  const long = list(33, "a".repeat(1e6));
  expect(() => checkTokenizerSize({ model: { ...model, merges: long } })).toThrow(
    "33000000 characters in its merges; the limit is 32000000",
  );
  expect(() => checkTokenizerSize({ model: { ...model, merges: list(33, ["a", "a".repeat(1e6)]) } })).toThrow(
    "33000033 characters in its merges",
  );
  expect(() => checkTokenizerSize({ model, added_tokens: [{ content: "a".repeat(500_001) }] })).toThrow(
    "500001 characters in its added tokens; the limit is 500000",
  );
});

test("a tokenizer beyond the limits is not made", () => {
  const data = sentencePieceFiles("normalizer");
  const model = { ...(data.tokenizerJson.model as object), merges: list(tokenizerLimits.merges + 1, "a a") };
  const tokenizerJson = { ...data.tokenizerJson, model };
  expect(() => createTokenizer({ ...data, tokenizerJson, eosTokenIds: [] })).toThrow("merges");
});
