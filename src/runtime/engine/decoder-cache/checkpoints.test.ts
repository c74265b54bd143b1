import fc from "fast-check";
import { expect, test } from "vitest";
import { Checkpoints } from "./checkpoints.ts";
import { planCheckpointSlots } from "./state-cache.ts";

/** The uses of the cache by a model: passes of several tokens, cuts, and contexts that grow. */
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ pass: fc.constant(1) }) },
    { weight: 2, arbitrary: fc.record({ pass: fc.integer({ min: 2, max: 90 }) }) },
    { weight: 2, arbitrary: fc.record({ cut: fc.double({ min: 0, max: 1, noNaN: true }) }) },
    { weight: 1, arbitrary: fc.record({ widen: fc.constantFrom(64, 128) }) },
  ),
  { maxLength: 200 },
);

test("going back costs less than the spacing, or one pass; slots are few, and none is lost or used twice", () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 8 }), (list, newest) => {
      let slots = 0;
      const free: number[] = [];
      const take = () => free.pop() ?? slots++;
      const checkpoints = new Checkpoints(take(), newest, 32);
      let [length, spacing, longestPass] = [0, 32, 1];
      for (const step of list) {
        if ("widen" in step) {
          spacing = Math.max(spacing, step.widen);
          free.push(...checkpoints.widen(spacing));
        } else if ("cut" in step) {
          const kept = Math.floor(length * step.cut);
          free.push(...checkpoints.cut(kept));
          const { length: nearest } = checkpoints.nearest(kept);
          expect(kept - nearest).toBeLessThan(Math.max(spacing, longestPass));
          length = nearest;
        } else {
          length += step.pass;
          longestPass = Math.max(longestPass, step.pass);
          free.push(...checkpoints.add(length, take()));
        }
        const { kept } = checkpoints;
        expect(kept.length).toBeLessThanOrEqual(length === 0 ? 1 : Checkpoints.most(length, newest, spacing));
        expect(kept[0]?.length).toBe(0);
        const lengths = kept.map((checkpoint) => checkpoint.length);
        expect(lengths).toEqual([...new Set(lengths)].sort((a, b) => a - b));
        const used = kept.map(({ slot }) => slot);
        expect([...used, ...free].sort((a, b) => a - b)).toEqual(Array.from({ length: slots }, (_, i) => i));
      }
    }),
  );
});

test("the newest are all there", () => {
  const checkpoints = new Checkpoints(0, 5, 32);
  for (let length = 1; length <= 100; length++) checkpoints.add(length, length);
  expect(checkpoints.kept.slice(-5).map(({ length }) => length)).toEqual([96, 97, 98, 99, 100]);
  // An older state is dropped if the gap around it would have at most 32 tokens.
  expect(checkpoints.kept.slice(0, -5).map(({ length }) => length)).toEqual([0, 32, 64]);
  expect(checkpoints.nearest(98)).toEqual({ length: 98, slot: 98 });
  expect(checkpoints.nearest(70)).toEqual({ length: 64, slot: 64 });
});

test.each([
  // Bytes of a state, and tokens of the context.
  ["a small convolution", 0.1e6, 512, { newest: 64, spacing: 32 }],
  ["a small convolution, long context", 0.25e6, 32_768, { newest: 64, spacing: 128 }],
  ["a large recurrence", 19e6, 8192, { newest: 7, spacing: 4096 }],
  ["a state that hardly fits", 300e6, 2048, { newest: 1, spacing: 2048 }],
])("the plan for %s keeps to the memory", (_, bytes, rows, expected) => {
  const plan = planCheckpointSlots(bytes, rows);
  expect(plan).toMatchObject(expected);
  // Three slots always exist: the zeros, the state that a pass reads, and the state that it writes.
  expect(plan.slots).toBeLessThanOrEqual(Math.max(3, 2 ** 28 / bytes));
});
