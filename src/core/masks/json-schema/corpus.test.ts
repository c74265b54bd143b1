/** 0 wrong accepts and 0 wrong rejects over the corpus, by bytes for all; at most 3 % of it refused. */
import { expect, test } from "vitest";
import { readCorpus } from "../testing/corpus.ts";
import { verdictOf } from "../testing/verdicts.ts";

const corpus = readCorpus();
const verdicts = corpus.map(verdictOf);
const refusals = verdicts.flatMap(({ refusal }) => refusal ?? []);

test("no valid instance is rejected, and no invalid one accepted", () => {
  expect(verdicts.flatMap(({ wrong, otherOrder }) => [...wrong, ...otherOrder])).toEqual([]);
});

test("at most 0.6 % of the schemas are refused", () => {
  expect(
    refusals.length / corpus.length,
    refusals.map(({ message }) => message).join("\n"),
  ).toBeLessThanOrEqual(0.006);
});
