import fc from "fast-check";
import { expect, test } from "vitest";
import { findOverwrittenLogits } from "./differences.ts";
import { largestTokens, TopKSearch } from "./top-k-search.ts";

const infinite = Number.NEGATIVE_INFINITY;
const logit = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -4, max: 4 }) },
  { weight: 4, arbitrary: fc.float({ min: -30, max: 30, noNaN: true }) },
  fc.constant(infinite),
);

/** By definition: sort everything. */
function sorted(logits: Float32Array, count: number): number[] {
  const finite = [...logits.keys()].filter((token) => logits[token] !== infinite);
  return finite.sort((a, b) => (logits[b] ?? 0) - (logits[a] ?? 0) || a - b).slice(0, count);
}

test("the largest, sorted", () => {
  fc.assert(
    fc.property(fc.array(logit, { minLength: 1, maxLength: 200 }), fc.nat(70), (values, count) => {
      const logits = Float32Array.from(values);
      expect([...largestTokens(logits, count)]).toEqual(sorted(logits, count));
    }),
  );
});

test("the most likely of edited logits are those of a search through all of them", () => {
  fc.assert(
    fc.property(
      fc.array(logit, { minLength: 100, maxLength: 300 }),
      fc.array(fc.tuple(fc.nat(299), logit), { maxLength: 9 }),
      fc.array(fc.nat(40), { minLength: 1, maxLength: 4 }),
      (values, edits, counts) => {
        const before = Float32Array.from(values);
        const after = before.slice();
        for (const [token, value] of edits) if (token < after.length) after[token] = value;
        const search = new TopKSearch(before);
        const differences = findOverwrittenLogits(before, after);
        for (const count of counts) {
          expect([...search.of(before, count, new Map())]).toEqual(sorted(before, count));
          expect([...search.of(after, count, differences)]).toEqual(sorted(after, count));
        }
      },
    ),
    { numRuns: 500 },
  );
});
