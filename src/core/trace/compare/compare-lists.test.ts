/** The common entries of two lists, compared with the textbook algorithm for the longest common subsequence. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { runToEnd } from "../../base/resumable-work.ts";
import { compareListsInSteps, type ListComparison, windowEdits } from "./compare-lists.ts";

const compare = (left: readonly number[], right: readonly number[], edits?: number): ListComparison =>
  runToEnd(compareListsInSteps(Int32Array.from(left), Int32Array.from(right), edits));

/** Length of the longest common subsequence, by the quadratic table. */
function longestCommon(left: readonly number[], right: readonly number[]): number {
  let row = new Array<number>(right.length + 1).fill(0);
  for (const entry of left) {
    const next = [0];
    right.forEach((other, place) => {
      next.push(entry === other ? (row[place] ?? 0) + 1 : Math.max(row[place + 1] ?? 0, next[place] ?? 0));
    });
    row = next;
  }
  return row.at(-1) ?? 0;
}

function expectSound(left: readonly number[], right: readonly number[], { common }: ListComparison): void {
  let [endOfLeft, endOfRight] = [0, 0];
  for (const [place, { left: a, right: b, length }] of common.entries()) {
    expect(length).toBeGreaterThan(0);
    expect(a >= endOfLeft && b >= endOfRight).toBe(true);
    if (place > 0) expect(a > endOfLeft || b > endOfRight).toBe(true);
    expect(left.slice(a, a + length)).toEqual(right.slice(b, b + length));
    [endOfLeft, endOfRight] = [a + length, b + length];
  }
  expect(endOfLeft <= left.length && endOfRight <= right.length).toBe(true);
}

const total = ({ common }: ListComparison) => common.reduce((sum, { length }) => sum + length, 0);
const list = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 60 });

test.each([
  ["both are empty", [], [], []],
  ["one is empty", [1, 2], [], []],
  ["equal", [1, 2, 3], [1, 2, 3], [{ left: 0, right: 0, length: 3 }]],
  ["nothing in common", [1, 2], [3, 4], []],
  [
    "one entry is another",
    [1, 2, 3],
    [1, 9, 3],
    [
      { left: 0, right: 0, length: 1 },
      { left: 2, right: 2, length: 1 },
    ],
  ],
  ["an entry is put in between equal ones", [7, 7], [7, 7, 7], [{ left: 0, right: 0, length: 2 }]],
  ["one goes on", [1], [1, 2, 3], [{ left: 0, right: 0, length: 1 }]],
])("%s", (_name, left, right, common) => expect(compare(left, right)).toEqual({ common, isShortest: true }));

test("what is in common is the longest there is", () => {
  fc.assert(
    fc.property(list, list, (left, right) => {
      const found = compare(left, right);
      expectSound(left, right, found);
      expect(found.isShortest).toBe(true);
      expect(total(found)).toBe(longestCommon(left, right));
    }),
  );
});

test("with a small window it is common still, and says when more may be", () => {
  fc.assert(
    fc.property(list, list, fc.integer({ min: 1, max: 8 }), (left, right, edits) => {
      const found = compare(left, right, edits);
      expectSound(left, right, found);
      if (found.isShortest) expect(total(found)).toBe(longestCommon(left, right));
    }),
  );
});

/** Counts the steps of a comparison. Each step is a limited piece of work, so the cost of hostile lists is counted, not timed. */
function countSteps(left: Int32Array, right: Int32Array): { steps: number; found: ListComparison } {
  const steps = compareListsInSteps(left, right);
  for (let count = 0; ; count += 1) {
    const step = steps.next();
    if (step.done) return { steps: count, found: step.value };
    expect(step.value >= 0 && step.value <= 1).toBe(true);
  }
}

const long = 100_000;

test.each([
  ["that begin alike and then differ in one entry", (place: number) => place, 50_000, 0],
  ["of one entry repeated, one of them shorter", () => 1, null, 0],
])("two lists of 100,000 %s cost one pass over them", (_name, entry, changed, most) => {
  const left = Int32Array.from({ length: long }, (_, place) => entry(place));
  const right = changed === null ? left.slice(7) : left.with(changed, -1);
  const { steps, found } = countSteps(left, right);
  expect(found.isShortest).toBe(true);
  expect(steps).toBe(most);
});

test("two long lists with nothing in common end after a bounded number of steps, and say so", () => {
  const length = 8_000;
  const left = Int32Array.from({ length }, (_, place) => place);
  const { steps, found } = countSteps(
    left,
    left.map((entry) => -1 - entry),
  );
  expect(found).toEqual({ common: [], isShortest: false });
  // Each window of `windowEdits` edits takes edits² / 2 of work and moves forward by that number of entries.
  expect(steps).toBeLessThan((2 * length * windowEdits) / 65_536);
});
