/** 0 wrong accepts and 0 wrong rejects over the suite; what is refused is counted apart, and listed here. */
import { expect, test } from "vitest";
import { readSuite } from "../testing/suite.ts";
import { verdictOf } from "../testing/verdicts.ts";

const suite = readSuite();
const verdicts = suite.map(verdictOf);

test("no valid instance is rejected, and no invalid one accepted", () => {
  expect(verdicts.flatMap(({ wrong }) => wrong)).toEqual([]);
});

test("members that two schemas list may have another order", () => {
  expect(verdicts.flatMap(({ otherOrder }) => otherOrder)).toEqual([]);
});

test("only what stands here is refused", () => {
  const impossible = suite.flatMap(({ name, valid }) => (valid.length === 0 ? [`${name}: #`] : []));
  expect(verdicts.flatMap(({ refusal }) => (refusal ? [`${refusal.name}: ${refusal.keyword}`] : []))).toEqual(
    [
      "arrays/unique items beside contains: uniqueItems",
      "arrays/unique of any kind: uniqueItems",
      ...impossible,
    ],
  );
});
