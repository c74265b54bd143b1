import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createTokenizer } from "./create-tokenizer.ts";
import { mostBytesOfToken, nonSpaceLength } from "./prompt-bytes.ts";
import { sentencePieceFiles } from "./testing/sentencepiece.ts";
import { hasTestTokenizer, testTokenizerData, testTokenizerNames } from "./testing/test-tokenizers.ts";

const tokenizers = [
  ["a SentencePiece file", () => sentencePieceFiles("normalizer")],
  ...testTokenizerNames
    .filter(hasTestTokenizer)
    .map((name) => [name, () => testTokenizerData(name)] as const),
] as const;

describe.each(tokenizers)("%s", (_name, files) => {
  test("no text has more visible characters than its tokens may stand for", () => {
    const data = files();
    const most = mostBytesOfToken(data.tokenizerJson);
    if (most === null) return;
    const tokenizer = createTokenizer({ ...data, eosTokenIds: [] });
    const text = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 60 }),
      fc.string({ unit: "binary", maxLength: 60 }),
      fc
        .tuple(fc.constantFrom(..."a =-*_#.\u0301\u{1d400}\uff21\u1112\u1161\u11ab"), fc.nat(300))
        .map(([unit, n]) => unit.repeat(n)),
    );
    fc.assert(
      fc.property(text, (each) => {
        expect(nonSpaceLength(each)).toBeLessThanOrEqual(tokenizer.encodePrompt(each).length * most);
      }),
      { numRuns: 300 },
    );
  });
});

test("a tokenizer is bounded only if it can write each byte and takes nothing out", () => {
  const model = { type: "BPE", byte_fallback: true, vocab: { a: 0, "▁▁▁▁": 1 } };
  expect(mostBytesOfToken({ model })).toBe(12);
  expect(mostBytesOfToken({ model, added_tokens: [{ content: "<|a long name|>" }] })).toBe(15);
  expect(mostBytesOfToken({ model, normalizer: { type: "NFKC" } })).toBe(72);
  expect(mostBytesOfToken({ model: { ...model, byte_fallback: false } })).toBeNull();
  expect(mostBytesOfToken({ model, normalizer: { type: "Lowercase" } })).toBeNull();
  const cut = { type: "Replace", pattern: { Regex: "\\s+" }, content: " " };
  expect(mostBytesOfToken({ model, normalizer: { type: "Sequence", normalizers: [cut] } })).toBeNull();
  const byteLevel = { ...model, byte_fallback: false, vocab: { ĠĠĠĠĠĠ: 0 } };
  expect(mostBytesOfToken({ model: byteLevel, pre_tokenizer: { type: "ByteLevel" } })).toBe(6);
});

test("white space is not counted", () => {
  expect(nonSpaceLength(" \n\ta\u00a0b\u3000\u2028c ")).toBe(3);
  expect(nonSpaceLength("abcdef", 2)).toBe(2);
});
