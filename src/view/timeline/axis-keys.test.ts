import { expect, test } from "vitest";
import { actOnAxisKey } from "./axis-keys.ts";
import { type AxisView, axisValueToX } from "./axis-view.ts";

const limits = { length: 100, least: 4 };

/** The effects of a key while tokens 20 to 59 of 100 are in view, 30 is the cursor, and 30 to 33 are selected. */
function pressed(
  key: string,
  held: { shiftKey?: boolean; ctrlKey?: boolean } = {},
  cursor: number | null = 30,
) {
  const did: unknown[] = [];
  actOnAxisKey(
    {
      key,
      shiftKey: false,
      ctrlKey: false,
      metaKey: false,
      altKey: false,
      ...held,
      preventDefault: () => did.push("taken"),
    },
    {
      view: { from: 20, to: 60 },
      limits,
      count: 100,
      cursor,
      cursorPlace: cursor === null ? null : { from: cursor, to: cursor + 1 },
      selectionPlace: cursor === null ? null : { from: 30, to: 34 },
      select: (index, extend) => did.push(extend ? `to ${index}` : index),
      setView: (view) => did.push(view),
    },
  );
  return did;
}

test.each<[string, unknown]>([
  ["ArrowLeft", 29],
  ["ArrowRight", 31],
  ["Home", 0],
  ["End", 99],
  ["d", { from: 28, to: 68 }],
  ["a", { from: 12, to: 52 }],
  ["0", { from: 0, to: 100 }],
  ["z", { from: expect.closeTo(29.8), to: expect.closeTo(34.2) }],
])("%s", (key, expected) => expect(pressed(key)).toEqual(["taken", expected]));

test.each(["+", "=", "w", "-", "_", "s"])("%s zooms, and the cursor stays where it is", (key) => {
  const [, view] = pressed(key) as [string, AxisView];
  const size = view.to - view.from;
  expect(size).toBeCloseTo("+=w".includes(key) ? 40 / 1.5 : 40 * 1.5);
  expect(axisValueToX(view, 100, 30.5)).toBeCloseTo(axisValueToX({ from: 20, to: 60 }, 100, 30.5));
});

test("without a cursor the middle stays where it is", () => {
  const [, view] = pressed("+", {}, null) as [string, AxisView];
  expect((view.from + view.to) / 2).toBeCloseTo(40);
  expect(pressed("ArrowRight", {}, null)).toEqual(["taken", 0]);
  expect(pressed("z", {}, null)).toEqual(["taken"]);
});

test("Shift extends; what others may mean is left to them", () => {
  expect(pressed("ArrowRight", { shiftKey: true })).toEqual(["taken", "to 31"]);
  expect(pressed("+", { ctrlKey: true })).toEqual([]);
  expect(pressed("x")).toEqual([]);
});
