import { expect, test } from "vitest";
import { blocksInView, createBlockHeights, estimateLayoutWork } from "./block-heights.ts";

test("a block is as high as it was measured, and before that as high as the first that was", () => {
  const heights = createBlockHeights({ isEmpty: (block) => block === 1, workOf: () => 1 });
  expect(heights.measure(0, 100)).toBe(true);
  expect(heights.measure(0, 100)).toBe(false);
  heights.measure(2, 50);
  expect([0, 1, 2, 3].map(heights.heightOf)).toEqual([100, 0, 50, 100]);
  expect([0, 1, 2, 3, 4].map(heights.offsetOf)).toEqual([0, 100, 100, 150, 250]);
  heights.forget();
  expect(heights.heightOf(3)).toBe(220);
});

const drawnBefore = { isMeasured: () => true, workOf: () => 1e9 };

test.each([
  [0, { first: 0, last: 5 }],
  [1000, { first: 9, last: 15 }],
  [99_600, { first: 995, last: 1000 }],
  [1e9, { first: 999, last: 1000 }],
])("with %i px above the view the blocks drawn are %j", (top, expected) => {
  expect(blocksInView({ ...drawnBefore, heightOf: () => 100 }, 1000, { top, height: 400 })).toEqual(expected);
});

test("low blocks are drawn up to a number, and those without anything in them are passed over", () => {
  expect(blocksInView({ ...drawnBefore, heightOf: () => 1 }, 1000, { top: 0, height: 400 })).toEqual({
    first: 0,
    last: 8,
  });
  const mostlyEmpty = {
    ...drawnBefore,
    heightOf: (block: number) => (block % 100 === 99 ? 44 : 0),
  };
  expect(blocksInView(mostlyEmpty, 2000, { top: 0, height: 400 })).toEqual({ first: 0, last: 800 });
});

test.each([
  { what: "ordinary ones as the view takes", workOf: () => 400, measured: 0, last: 3 },
  { what: "heavy ones one at a time", workOf: () => 100_000, measured: 0, last: 1 },
  { what: "the next one once the one before is measured", workOf: () => 100_000, measured: 1, last: 2 },
  { what: "a heavy one alone", workOf: (block: number) => (block === 1 ? 3000 : 10), measured: 0, last: 1 },
])("of blocks whose height is not known, $what", ({ workOf, measured, last }) => {
  const heights = createBlockHeights({ isEmpty: () => false, workOf });
  for (let block = 0; block < measured; block += 1) heights.measure(block, 220);
  expect(blocksInView(heights, 1000, { top: 0, height: 400 })).toEqual({ first: 0, last });
});

test.each([
  [["once", " upon"], 9],
  [["\u202e\u202e"], 16],
  [["日", "本"], 16],
  [[], 0],
])("%j is as much work to lay out as %i characters", (texts, work) => {
  expect(estimateLayoutWork(texts)).toBe(work);
});
