import { expect, test } from "vitest";
import { hasToken } from "./token-bits.ts";
import { hasLongerToken, tokensThatBeginWith } from "./token-prefixes.ts";
import { vocabularyOf } from "./vocabulary.ts";

const encoder = new TextEncoder();
const texts = ["a", "ab", "abc", "b", "", "ab", " Fr", " France", "end"];
const vocabulary = vocabularyOf({
  vocabSize: texts.length,
  eosTokenIds: [8],
  tokenBytes: (token) => encoder.encode(texts[token]),
  encode: () => [],
});

test.each([
  ["a", [0, 1, 2, 5]],
  ["ab", [1, 2, 5]],
  ["abc", [2]],
  [" F", [6, 7]],
  [" France", [7]],
])("tokens that begin with %j", (text, expected) => {
  const mask = tokensThatBeginWith(vocabulary, encoder.encode(text)) as Uint32Array;
  expect(texts.map((_, token) => token).filter((token) => hasToken(mask, token))).toEqual(expected);
});

test.each(["abd", "c", "", "end"])("no token begins with %j", (text) => {
  expect(tokensThatBeginWith(vocabulary, encoder.encode(text))).toBeNull();
});

test("a longer token has more bytes than those given", () => {
  const has = (text: string) => hasLongerToken(vocabulary, encoder.encode(text));
  expect(["a", "ab", "abc", " Fran", " France", "x"].map(has)).toEqual([
    true,
    true,
    false,
    true,
    false,
    false,
  ]);
});
