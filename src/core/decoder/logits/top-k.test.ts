import fc from "fast-check";
import { expect, test } from "vitest";
import { topKOf } from "./top-k.ts";

/** By definition: sort everything, Math.exp everything. */
function byDefinition(logits: Float32Array, count: number) {
  const finite = Array.from(logits.keys()).filter((token) => logits[token] !== Number.NEGATIVE_INFINITY);
  const sorted = finite.sort((a, b) => (logits[b] ?? 0) - (logits[a] ?? 0) || a - b).slice(0, count);
  const most = logits[sorted[0] ?? 0] ?? 0;
  const total = most + Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - most), 0));
  return { tokens: sorted, logprobs: sorted.map((token) => (logits[token] ?? 0) - total) };
}

const row = fc.array(
  fc.oneof(
    fc.integer({ min: -4, max: 4 }),
    fc.float({ min: -30, max: 30, noNaN: true }),
    fc.constant(Number.NEGATIVE_INFINITY),
  ),
  { minLength: 1, maxLength: 200 },
);

test("the most likely tokens, sorted, over the whole vocabulary", () => {
  fc.assert(
    fc.property(row, fc.integer({ min: 0, max: 70 }), (values, count) => {
      const logits = Float32Array.from(values);
      fc.pre(logits.some(Number.isFinite));
      const top = topKOf(logits, count);
      const expected = byDefinition(logits, count);
      expect(Array.from(top.tokens)).toEqual(expected.tokens);
      for (const [place, logprob] of expected.logprobs.entries()) {
        expect(top.logprobs[place]).toBeCloseTo(logprob, 4);
      }
    }),
  );
});

test("a row of -Infinity has no likely token", () => {
  expect(topKOf(new Float32Array(5).fill(Number.NEGATIVE_INFINITY), 3).tokens).toHaveLength(0);
});

test("a known logSumExp is used", () => {
  expect(topKOf(Float32Array.of(1, 2), 1, 10).logprobs[0]).toBe(-8);
});
