import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SparseLogitsEdit } from "../sdk/action.ts";
import { editLogits, keptCount, rowProblem, summarize, topTokens } from "./logits.ts";

const infinite = Number.NEGATIVE_INFINITY;
const row = (...values: number[]) => Float32Array.from(values);

describe("summarize", () => {
  test.each<[string, number[], number, number]>([
    ["two equals: one bit", [0, 0], Math.log(2), 1],
    ["eight equals: three bits", new Array(8).fill(5), 5 + Math.log(8), 3],
    ["a certain token: no bits", [0, infinite, infinite], 0, 0],
    ["1/2, 1/4, 1/4: one bit and a half", [Math.log(2), 0, 0], Math.log(4), 1.5],
    ["large logits do not overflow", [1000, 1000], 1000 + Math.log(2), 1],
  ])("%s", (_, logits, logSumExp, entropy) => {
    const summary = summarize(Float32Array.from(logits));
    expect(summary.logSumExp).toBeCloseTo(logSumExp, 6);
    expect(summary.entropy).toBeCloseTo(entropy, 6);
  });

  test("is not finite for a row that cannot be sampled", () => {
    for (const bad of [
      row(Number.NaN, 1),
      row(1, Number.NaN),
      row(infinite, infinite),
      row(1, Number.POSITIVE_INFINITY),
    ])
      expect(Number.isFinite(summarize(bad).logSumExp)).toBe(false);
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
          const summary = summarize(logits);
          expect(summary.logSumExp).toBeCloseTo(most + Math.log(sum), 9);
          expect(summary.entropy).toBeCloseTo(
            shares.reduce((bits, share) => bits - (share > 0 ? share * Math.log2(share) : 0), 0),
            8,
          );
          const sorted = [...logits.keys()].sort(
            (one, other) => (logits[other] ?? 0) - (logits[one] ?? 0) || one - other,
          );
          expect(summary.top.map(({ token }) => token)).toEqual(sorted.slice(0, 10));
          for (const { token, logprob } of summary.top)
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

describe("editLogits", () => {
  test.each<[string, SparseLogitsEdit, number[]]>([
    ["nothing", {}, [1, 2, 3, 4]],
    ["ban", { ban: [0, 2] }, [infinite, 2, infinite, 4]],
    ["only", { only: [3, 1] }, [infinite, 2, infinite, 4]],
    ["mask", { mask: Uint32Array.of(0b1010) }, [infinite, 2, infinite, 4]],
    [
      "mask with bits beyond the row",
      { mask: Uint32Array.of(0xfffffff1) },
      [1, infinite, infinite, infinite],
    ],
    ["mask and only", { mask: Uint32Array.of(0b1010), only: [0, 1] }, [infinite, 2, infinite, infinite]],
    [
      "mask, ban and add",
      { mask: Uint32Array.of(0b1011), ban: [1], add: { 0: 1, 2: 1 } },
      [2, infinite, infinite, 4],
    ],
    ["add", { add: { 0: 10, 3: -1 } }, [11, 2, 3, 3]],
    ["add of -Infinity bans", { add: { 1: infinite } }, [1, infinite, 3, 4]],
    [
      "only, ban and add in this order",
      { only: [0, 1, 2], ban: [1], add: { 0: 1, 1: 1, 3: 1 } },
      [2, infinite, 3, infinite],
    ],
  ])("%s", (_, edit, expected) => {
    const logits = row(1, 2, 3, 4);
    expect([...editLogits(logits, edit)]).toEqual(expected);
    expect([...logits]).toEqual([1, 2, 3, 4]);
  });

  test("a mask does what the list of its tokens does", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 200 }), (kept) => {
        const logits = Float32Array.from(kept, (_, token) => Math.sin(token));
        const mask = new Uint32Array(Math.ceil(kept.length / 32));
        const only = kept.flatMap((isKept, token) => (isKept ? [token] : []));
        for (const token of only) (mask[token >> 5] as number) |= 1 << (token & 31);
        expect(editLogits(logits, { mask })).toEqual(editLogits(logits, { only }));
        expect(keptCount({ mask }, kept.length)).toBe(only.length);
      }),
    );
  });

  test("a dense edit is a copy of what was given", () => {
    const given = row(4, 3, 2, 1);
    const edited = editLogits(row(1, 2, 3, 4), given);
    given[0] = 9;
    expect([...edited]).toEqual([4, 3, 2, 1]);
  });
});

test.each<[string, Float32Array, string | null]>([
  ["finite", row(1, 2), null],
  ["partly -Infinity", row(infinite, 2), null],
  ["all -Infinity", row(infinite, infinite), "No token is left: every logit is -Infinity."],
  ["NaN", row(1, Number.NaN), "The logit of token 1 is NaN."],
  ["+Infinity", row(Number.POSITIVE_INFINITY, 0), "The logit of token 0 is Infinity."],
])("rowProblem: %s", (_, logits, problem) => expect(rowProblem(logits)).toBe(problem));
