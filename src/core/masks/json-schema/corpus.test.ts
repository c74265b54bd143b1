/** 0 wrong accepts and 0 wrong rejects over the corpus, by bytes for all; none of it refused. */
import { expect, test } from "vitest";
import { readCorpus } from "../testing/corpus.ts";
import { verdictOf } from "../testing/verdicts.ts";

const corpus = readCorpus();
const verdicts = corpus.map(verdictOf);
const refusals = verdicts.flatMap(({ refusal }) => refusal ?? []);

test("no valid instance is rejected, and no invalid one accepted", () => {
  expect(verdicts.flatMap(({ wrong, otherOrder }) => [...wrong, ...otherOrder])).toEqual([]);
});

test("no schema is refused", () => {
  expect(refusals.map(({ message }) => message)).toEqual([]);
});
