import fc from "fast-check";
import { expect, test } from "vitest";
import { StateCheckpoints } from "./state-checkpoints.ts";

/** Checkpoints whose state is the length that it stands for, and what was freed of them. */
function counted(most: number) {
  const freed: number[] = [];
  const checkpoints = new StateCheckpoints<number>({ most, free: (state) => freed.push(state) });
  return { checkpoints, freed };
}

test("a text that is cut goes on from the latest state that is no longer than it", () => {
  const { checkpoints, freed } = counted(10);
  for (const length of [5, 6, 7, 20]) checkpoints.keep(length, length);
  expect(checkpoints.cutTo(19)).toEqual({ length: 7, state: 7 });
  expect(freed).toEqual([20]);
  expect(checkpoints.cutTo(6)).toEqual({ length: 6, state: 6 });
  expect(checkpoints.cutTo(4)).toBeNull();
  expect(freed).toEqual([20, 7, 6, 5]);
});

test("of a long text more states are kept near its end, and one near its beginning", () => {
  const { checkpoints } = counted(16);
  for (let length = 1; length <= 1000; length++) checkpoints.keep(length, length);
  const { lengths } = checkpoints;
  expect(lengths.at(-1)).toBe(1000);
  expect(lengths.slice(-3)).toEqual([998, 999, 1000]);
  expect(lengths[0]).toBeLessThan(600);
  const lost = (back: number) => 1000 - back - (lengths.findLast((length) => length <= 1000 - back) ?? 0);
  // What is read again is at most as long as what was taken back, twice over.
  for (const back of [1, 2, 8, 40, 100, 300])
    expect(lost(back), `${back} back`).toBeLessThanOrEqual(2 * back);
});

test("never more than asked, never one of a longer text, and each is freed once", () => {
  const step = fc.oneof(
    fc.record({ type: fc.constant("keep" as const), tokens: fc.integer({ min: 1, max: 9 }) }),
    fc.record({ type: fc.constant("cut" as const), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 6 }), fc.array(step, { maxLength: 60 }), (most, steps) => {
      const freed: object[] = [];
      const made: object[] = [];
      const checkpoints = new StateCheckpoints<{ readonly length: number }>({
        most,
        free: (state) => freed.push(state),
      });
      let length = 0;
      for (const action of steps) {
        if (action.type === "keep") {
          length += action.tokens;
          const state = { length };
          made.push(state);
          checkpoints.keep(length, state);
          expect(checkpoints.lengths.at(-1)).toBe(length);
        } else {
          length = Math.floor(length * action.share);
          const found = checkpoints.cutTo(length);
          expect(found?.length ?? 0).toBeLessThanOrEqual(length);
          expect(found?.state.length ?? found?.length).toBe(found?.length);
          // The rest is read again.
          length = found?.length ?? 0;
        }
        expect(checkpoints.lengths.length).toBeLessThanOrEqual(most);
      }
      checkpoints.clear();
      expect(new Set(freed).size).toBe(freed.length);
      expect(freed.length).toBe(made.length);
    }),
  );
});
