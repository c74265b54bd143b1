import { expect, test } from "vitest";
import { blocksInView, createBlockHeights } from "./block-heights.ts";

test("a block is as high as it was measured, and before that as high as the first that was", () => {
  const heights = createBlockHeights((block) => block === 1);
  expect(heights.measure(0, 100)).toBe(true);
  expect(heights.measure(0, 100)).toBe(false);
  heights.measure(2, 50);
  expect([0, 1, 2, 3].map(heights.heightOf)).toEqual([100, 0, 50, 100]);
  expect([0, 1, 2, 3, 4].map(heights.offsetOf)).toEqual([0, 100, 100, 150, 250]);
  heights.forget();
  expect(heights.heightOf(3)).toBe(220);
});

test.each([
  [0, { first: 0, last: 7 }],
  [1000, { first: 7, last: 15 }],
  [99_600, { first: 993, last: 1000 }],
  [1e9, { first: 999, last: 1000 }],
])("with %i px above the view the blocks drawn are %j", (top, expected) => {
  expect(blocksInView({ heightOf: () => 100 }, 1000, { top, height: 400 })).toEqual(expected);
});

test("low blocks are drawn up to a number, and those without anything in them are passed over", () => {
  expect(blocksInView({ heightOf: () => 1 }, 1000, { top: 0, height: 400 })).toEqual({ first: 0, last: 8 });
  const mostlyEmpty = { heightOf: (block: number) => (block % 100 === 99 ? 44 : 0) };
  expect(blocksInView(mostlyEmpty, 2000, { top: 0, height: 400 })).toEqual({ first: 0, last: 800 });
});
