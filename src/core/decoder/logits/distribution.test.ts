import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Distribution } from "../ports/logits.ts";
import { findOverwrittenLogits } from "./differences.ts";
import { distributionOf, distributionOfEdited, topTokens } from "./distribution.ts";
import { editLogits } from "./logits-edits.ts";
import { largestToken } from "./logits-search.ts";

const infinite = Number.NEGATIVE_INFINITY;
const row = (...values: number[]) => Float32Array.from(values);

describe("distributionOf", () => {
  test.each<[string, number[], number, number]>([
    ["two equals: one bit", [0, 0], Math.log(2), 1],
    ["eight equals: three bits", new Array(8).fill(5), 5 + Math.log(8), 3],
    ["a certain token: no bits", [0, infinite, infinite], 0, 0],
    ["1/2, 1/4, 1/4: one bit and a half", [Math.log(2), 0, 0], Math.log(4), 1.5],
    ["large logits do not overflow", [1000, 1000], 1000 + Math.log(2), 1],
  ])("%s", (_, logits, logSumExp, entropy) => {
    const distribution = distributionOf(Float32Array.from(logits));
    expect(distribution.logSumExp).toBeCloseTo(logSumExp, 6);
    expect(distribution.entropy).toBeCloseTo(entropy, 6);
  });

  test("is not finite for a row that cannot be sampled", () => {
    for (const bad of [
      row(Number.NaN, 1),
      row(1, Number.NaN),
      row(infinite, infinite),
      row(1, Number.POSITIVE_INFINITY),
    ])
      expect(Number.isFinite(distributionOf(bad).logSumExp)).toBe(false);
  });

  test("agrees with a plain computation in float64", () => {
    fc.assert(
      fc.property(
        fc.array(fc.float({ min: -60, max: 60, noNaN: true }), { minLength: 1, maxLength: 60 }),
        (values) => {
          const logits = Float32Array.from(values);
          const most = Math.max(...logits);
          const sum = [...logits].reduce((total, logit) => total + Math.exp(logit - most), 0);
          const shares = [...logits].map((logit) => Math.exp(logit - most) / sum);
          const distribution = distributionOf(logits);
          expect(distribution.logSumExp).toBeCloseTo(most + Math.log(sum), 9);
          expect(distribution.entropy).toBeCloseTo(
            shares.reduce((bits, share) => bits - (share > 0 ? share * Math.log2(share) : 0), 0),
            8,
          );
          const sorted = [...logits.keys()].sort(
            (one, other) => (logits[other] ?? 0) - (logits[one] ?? 0) || one - other,
          );
          expect(distribution.top.map(({ token }) => token)).toEqual(sorted.slice(0, 10));
          for (const { token, logprob } of distribution.top)
            expect(logprob).toBeCloseTo(Math.log(shares[token] ?? 0), 9);
        },
      ),
    );
  });
});

test("topTokens leaves out what cannot be chosen", () => {
  expect(topTokens(row(1, infinite, 3, 3, 2), 4)).toEqual([2, 3, 4, 0]);
  expect(topTokens(row(1, infinite), 5)).toEqual([0]);
});

test("largestToken", () => {
  expect(largestToken(row(1, 3, 3, 2))).toBe(1);
  expect(largestToken(row(infinite, infinite, Number.NaN, -5))).toBe(3);
  expect(largestToken(Float32Array.from({ length: 20 }, (_, token) => (token === 17 ? 1 : 0)))).toBe(17);
});

describe("an edited row is summed up as if it were new", () => {
  const logit = fc.oneof(
    { weight: 6, arbitrary: fc.float({ min: -30, max: 30, noNaN: true }) },
    fc.integer({ min: -3, max: 3 }),
    fc.constant(infinite),
  );
  const edits = fc.array(fc.tuple(fc.nat(299), logit), { maxLength: 40 });

  test("whatever changed", () => {
    fc.assert(
      fc.property(fc.array(logit, { minLength: 1, maxLength: 300 }), edits, (values, changes) => {
        const logits = Float32Array.from(values);
        fc.pre(Number.isFinite(distributionOf(logits).logSumExp));
        const edited = logits.slice();
        for (const [token, value] of changes) if (token < edited.length) edited[token] = value;
        const expected = distributionOf(edited);
        fc.pre(Number.isFinite(expected.logSumExp));
        expectSame(
          distributionOfEdited(edited, distributionOf(logits), findOverwrittenLogits(logits, edited)),
          expected,
        );
      }),
      { numRuns: 500 },
    );
  });

  /** Most of them unlikely, so that nearly all of the weight goes with a few. */
  const steep = Float32Array.from({ length: 400 }, (_, token) => (token < 12 ? 20 - token : -token / 20));
  const ofEdited = (edited: Float32Array) =>
    distributionOfEdited(edited, distributionOf(steep), findOverwrittenLogits(steep, edited));
  test.each<[string, Float32Array]>([
    ["the most likely is gone", editLogits(steep, { ban: [0] })],
    ["all of the most likely are gone", editLogits(steep, { ban: Array.from({ length: 12 }, (_, n) => n) })],
    ["one rises above all", editLogits(steep, { add: { 300: 90 } })],
    ["one rises among the most likely", editLogits(steep, { add: { 300: 30 } })],
    ["most are gone", editLogits(steep, { only: [200, 201, 5] })],
    ["nothing changed", steep.slice()],
  ])("%s", (_, edited) => {
    expectSame(ofEdited(edited), distributionOf(edited));
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY])("%s is found", (value) => {
    const edited = steep.slice();
    edited[399] = value;
    expect(Number.isFinite(ofEdited(edited).logSumExp)).toBe(false);
    edited.fill(infinite);
    expect(Number.isFinite(ofEdited(edited).logSumExp)).toBe(false);
  });

  function expectSame(actual: Distribution, expected: Distribution): void {
    expect(actual.logSumExp).toBeCloseTo(expected.logSumExp, 8);
    expect(actual.entropy).toBeCloseTo(expected.entropy, 6);
    expect(actual.top.map(({ token }) => token)).toEqual(expected.top.map(({ token }) => token));
    for (const [place, { logprob }] of actual.top.entries())
      expect(logprob).toBeCloseTo(expected.top[place]?.logprob ?? Number.NaN, 8);
  }
});
