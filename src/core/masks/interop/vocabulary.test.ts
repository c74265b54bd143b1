import { isDeepStrictEqual } from "node:util";
import { PreTrainedTokenizer } from "@huggingface/transformers";
import { describe, expect, test } from "vitest";
import { createTokenizer } from "../../tokenizer/create-tokenizer.ts";
import { sentencePieceFiles } from "../../tokenizer/testing/sentencepiece.ts";
import {
  hasTestTokenizer,
  testTokenizerData,
  testTokenizerNames,
} from "../../tokenizer/testing/test-tokenizers.ts";
import { choices } from "../strategies/choices.ts";
import { vocabularyOf } from "../vocabulary/vocabulary.ts";
import { createMatcher } from "./matcher.ts";
import { vocabularyFromList } from "./vocabulary-from-list.ts";
import { vocabularyFromTokenizer } from "./vocabulary-from-tokenizer.ts";

function theirTokenizer(files: { tokenizerJson: object; tokenizerConfig: object }): PreTrainedTokenizer {
  return new PreTrainedTokenizer(structuredClone(files.tokenizerJson), files.tokenizerConfig);
}

describe.each(testTokenizerNames)("the vocabulary of %s in @huggingface/transformers", (name) => {
  test.skipIf(!hasTestTokenizer(name))("has our own tokenizer's bytes, and its spelling", () => {
    const data = testTokenizerData(name);
    const ours = createTokenizer(data);
    const theirs = vocabularyFromTokenizer(theirTokenizer(data), { eosTokenIds: data.eosTokenIds });
    const [expected, given] = [vocabularyOf(ours), vocabularyOf(theirs)];
    expect(given.size).toBeGreaterThan(500);
    // A model may have more rows than its tokenizer has entries: they have no bytes.
    expect(given.size).toBeLessThanOrEqual(expected.size);
    expect(given.texts.bytes.length).toBe(expected.texts.bytes.length);
    // `expect` takes seconds to compare a million numbers: it is asked where they are not the same.
    const start = expected.texts.start.slice(0, given.size + 1);
    if (!isDeepStrictEqual(given.texts.bytes, expected.texts.bytes))
      expect(given.texts.bytes).toEqual(expected.texts.bytes);
    if (!isDeepStrictEqual(given.texts.start, start)) expect(given.texts.start).toEqual(start);
    for (const text of ['{"name":"', "Once upon a time", " there", "\n", "naïve 🦔"])
      expect(theirs.encode(text)).toEqual(ours.encode(text));
    expect(theirs.tokenBytes(300)).toEqual(ours.tokenBytes(300));
  });
});

test.each(["normalizer", "metaspace"] as const)(
  "what a SentencePiece tokenizer (%s) puts before a text is not forced",
  (kind) => {
    const files = sentencePieceFiles(kind);
    const tokenizer = theirTokenizer(files);
    const eosTokenIds = [2];
    const ours = createTokenizer({ ...files, eosTokenIds });
    expect(tokenizer.encode("the", { add_special_tokens: false })).not.toEqual(ours.encode("the"));
    const matcher = createMatcher(choices(["the"]), vocabularyFromTokenizer(tokenizer, { eosTokenIds }));
    expect(matcher.forcedTokens()).toEqual(ours.encode("the"));
    matcher.accept(matcher.forcedTokens());
    expect(matcher.text).toBe("the");
  },
);

test("a vocabulary is made once for a tokenizer and its ends", () => {
  const tokenizer = theirTokenizer(testTokenizerData("stories260k"));
  expect(vocabularyFromTokenizer(tokenizer)).toBe(vocabularyFromTokenizer(tokenizer));
  const other = vocabularyFromTokenizer(tokenizer, { eosTokenIds: [1, 2] });
  expect(other).not.toBe(vocabularyFromTokenizer(tokenizer));
  expect(other).toBe(vocabularyFromTokenizer(tokenizer, { eosTokenIds: [1, 2] }));
});

test("what is no tokenizer, and ends that it does not have, are refused", () => {
  const tokenizer = theirTokenizer(testTokenizerData("stories260k"));
  expect(() => vocabularyFromTokenizer({} as PreTrainedTokenizer)).toThrow(
    "an object is not a tokenizer of @huggingface/transformers 4: pass what AutoTokenizer.from_pretrained returns, or use vocabularyFromList.",
  );
  expect(() => vocabularyFromTokenizer(tokenizer, { eosTokenIds: [512] })).toThrow(
    "The end-of-sequence token 512 is not in the vocabulary: give ids from 0 to 511.",
  );
  expect(() => vocabularyFromTokenizer(tokenizer, { eosTokenIds: [] })).toThrow(
    "names no end-of-sequence token",
  );
});

test("a list gives bytes, texts and tokens without either", () => {
  const vocabulary = vocabularyFromList([Uint8Array.of(0xc3), "é", null, ""], { eosTokenIds: [3] });
  expect([0, 1, 2, 3].map((token) => [...vocabulary.tokenBytes(token)])).toEqual([
    [0xc3],
    [0xc3, 0xa9],
    [],
    [],
  ]);
  expect(vocabulary.vocabSize).toBe(4);
});

test("a list with something else in it is refused, with its place", () => {
  expect(() => vocabularyFromList(["a", 7 as unknown as string])).toThrow(
    "Token 1 is 7: give its bytes as a Uint8Array, its text, or null if it has none.",
  );
  expect(() => vocabularyFromList([])).toThrow("not an empty list");
  expect(() => vocabularyFromList(["a"], { eosTokenIds: [1] })).toThrow("give ids from 0 to 0");
});
