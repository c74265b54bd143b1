import { expect, test } from "vitest";
import { rowWindow } from "./use-row-window.ts";

test.each([
  [0, 10, { first: 0, last: 10, before: 0, after: 0 }],
  [0, 1000, { first: 0, last: 18, before: 0, after: 982 * 28 }],
  [2800, 1000, { first: 97, last: 118, before: 97 * 28, after: 882 * 28 }],
])("scrolled to %i px of %i rows", (top, count, expected) => {
  expect(rowWindow({ top, height: 420 }, count, 28)).toEqual(expected);
});

test("every row of a list that is higher than a browser draws can be scrolled to, the last one too", () => {
  const count = 2_000_000;
  const at = (top: number) => rowWindow({ top, height: 420 }, count, 28);
  expect(at(0).first).toBe(0);
  const end = at(10_000_000 - 420);
  expect(end.last).toBe(count);
  for (const top of [0, 5, 1_000_000, 5_000_000, 10_000_000 - 420]) {
    const { first, last, before, after } = at(top);
    expect(last - first).toBeLessThan(40);
    expect(before + (last - first) * 28 + after).toBeLessThan(10_000_000 + 40 * 28);
    // The rows in view are placed where the view is.
    expect(before).toBeLessThanOrEqual(top + 1);
    expect(before + (last - first) * 28).toBeGreaterThanOrEqual(top + 420 - 1);
  }
});
