import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type AxisView,
  axisValueToX,
  axisXToValue,
  centredOn,
  clampAxisView,
  movedToFitPart,
  movedToShow,
  panned,
  showsWholeAxis,
  tickStep,
  wholeAxisView,
  zoomed,
  zoomedTo,
} from "./axis-view.ts";

const limits = { length: 100, least: 4 };

test.each<[string, AxisView, AxisView]>([
  ["the whole", wholeAxisView(limits), { from: 0, to: 100 }],
  ["the whole of a short axis", wholeAxisView({ length: 1, least: 4 }), { from: 0, to: 4 }],
  ["zoomed in at the middle", zoomed({ from: 0, to: 100 }, 0.5, 50, limits), { from: 25, to: 75 }],
  ["zoomed in at a quarter", zoomed({ from: 0, to: 100 }, 0.5, 25, limits), { from: 12.5, to: 62.5 }],
  ["zoomed in as far as it goes", zoomed({ from: 0, to: 100 }, 0.001, 50, limits), { from: 48, to: 52 }],
  ["zoomed out beyond the end", zoomed({ from: 60, to: 100 }, 2, 90, limits), { from: 20, to: 100 }],
  ["zoomed out beyond all", zoomed({ from: 60, to: 100 }, 20, 90, limits), { from: 0, to: 100 }],
  ["panned", panned({ from: 10, to: 30 }, 20, limits), { from: 30, to: 50 }],
  ["panned to the end", panned({ from: 10, to: 30 }, 500, limits), { from: 80, to: 100 }],
  ["panned to the beginning", panned({ from: 10, to: 30 }, -500, limits), { from: 0, to: 20 }],
  ["in sight already", movedToShow({ from: 10, to: 34 }, { from: 20, to: 21 }, limits), { from: 10, to: 34 }],
  [
    "brought in sight from the right",
    movedToShow({ from: 10, to: 34 }, { from: 40, to: 41 }, limits),
    { from: 19, to: 43 },
  ],
  [
    "brought in sight from the left",
    movedToShow({ from: 40, to: 64 }, { from: 20, to: 21 }, limits),
    { from: 18, to: 42 },
  ],
  [
    "a part in sight already",
    movedToFitPart({ from: 10, to: 34 }, { from: 12, to: 30 }, limits),
    { from: 10, to: 34 },
  ],
  [
    "a part brought in sight",
    movedToFitPart({ from: 10, to: 34 }, { from: 30, to: 40 }, limits),
    { from: 18, to: 42 },
  ],
  [
    "a part that is larger",
    movedToFitPart({ from: 10, to: 34 }, { from: 30, to: 70 }, limits),
    { from: 28, to: 72 },
  ],
  ["centred", centredOn({ from: 10, to: 30 }, 50, limits), { from: 40, to: 60 }],
  ["centred at the end", centredOn({ from: 10, to: 30 }, 99, limits), { from: 80, to: 100 }],
  ["a part", zoomedTo({ from: 20, to: 40 }, limits), { from: 19, to: 41 }],
  ["a part at the edge", zoomedTo({ from: 0, to: 20 }, limits), { from: 0, to: 22 }],
])("%s", (_what, view, expected) => expect(view).toEqual(expected));

test("the whole is told from a part", () => {
  expect(showsWholeAxis({ from: 0, to: 100 }, limits)).toBe(true);
  expect(showsWholeAxis({ from: 0, to: 99.5 }, limits)).toBe(false);
  expect(showsWholeAxis({ from: 0.5, to: 100 }, limits)).toBe(false);
});

test.each([
  [{ from: 0, to: 100 }, 1000, 80, 10],
  [{ from: 0, to: 100 }, 1000, 30, 5],
  [{ from: 0, to: 4 }, 1000, 80, 0.5],
  [{ from: 0, to: 1e6 }, 800, 80, 100_000],
])("the marks of %o in %i px, %i px apart at least, are %d apart", (view, width, least, step) =>
  expect(tickStep(view, width, least)).toBe(step),
);

const axes = fc.record({
  length: fc.double({ min: 0, max: 1e9, noNaN: true }),
  least: fc.double({ min: 1e-3, max: 1e3, noNaN: true }),
});
const views = fc
  .tuple(fc.double({ min: -1e6, max: 1e9, noNaN: true }), fc.double({ min: 1e-3, max: 1e9, noNaN: true }))
  .map(([from, size]) => ({ from, to: from + size }));

test("no zoom and no pan leaves the axis, or shows less than the least", () => {
  fc.assert(
    fc.property(
      axes,
      views,
      fc.double({ min: 0.01, max: 100, noNaN: true }),
      fc.double({ min: -1e9, max: 1e9, noNaN: true }),
      (axis, view, factor, by) => {
        const start = clampAxisView(view, axis);
        for (const { from, to } of [start, zoomed(start, factor, by, axis), panned(start, by, axis)]) {
          const close = 1e-6 * (axis.length + axis.least);
          expect(from).toBeGreaterThanOrEqual(0);
          expect(to).toBeLessThanOrEqual(wholeAxisView(axis).to + close);
          expect(to - from).toBeGreaterThanOrEqual(Math.min(axis.least, wholeAxisView(axis).to) - close);
        }
      },
    ),
  );
});

test("px and back", () => {
  const view = { from: 12, to: 20 };
  expect(axisValueToX(view, 400, 14)).toBe(100);
  expect(axisXToValue(view, 400, 100)).toBe(14);
});
