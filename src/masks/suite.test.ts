/** 0 wrong accepts and 0 wrong rejects over the suite; what is refused is counted apart, and listed here. */
import { expect, test, vi } from "vitest";
import { readSuite } from "./testing/suite.ts";
import { verdictOf } from "./testing/verdicts.ts";

vi.setConfig({ testTimeout: 120_000 });

const verdicts = readSuite().map(verdictOf);

test("no valid instance is rejected, and no invalid one accepted", () => {
  expect(verdicts.flatMap(({ wrong }) => wrong)).toEqual([]);
});

test("only what stands here is refused", () => {
  expect(verdicts.flatMap(({ refusal }) => (refusal ? [`${refusal.name}: ${refusal.keyword}`] : []))).toEqual([]);
});
