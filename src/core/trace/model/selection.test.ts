import { expect, test } from "vitest";
import {
  extendTo,
  formatSelection,
  isRange,
  overlap,
  parseSelection,
  rangeOf,
  selectionAfterClick,
  selectToken,
} from "./selection.ts";

test.each([
  ["a token alone", selectToken(4), { first: 4, end: 5 }, false],
  ["on from a token", extendTo(selectToken(4), 9), { first: 4, end: 10 }, true],
  ["back over the anchor", extendTo(extendTo(selectToken(4), 9), 1), { first: 1, end: 5 }, true],
  ["where nothing was selected", extendTo(null, 3), { first: 3, end: 4 }, false],
  ["with Shift", selectionAfterClick(selectToken(2), 5, true), { first: 2, end: 6 }, true],
  ["without Shift", selectionAfterClick(extendTo(selectToken(2), 5), 7, false), { first: 7, end: 8 }, false],
])("%s", (_what, selection, range, isMany) => {
  expect(rangeOf(selection)).toEqual(range);
  expect(isRange(selection)).toBe(isMany);
});

test.each([
  ["1", { anchor: 0, cursor: 0 }],
  ["13-40", { anchor: 12, cursor: 39 }],
  ["40-13", { anchor: 39, cursor: 12 }],
])("%s is read and written", (text, selection) => {
  expect(parseSelection(text)).toEqual(selection);
  expect(formatSelection(selection)).toBe(text);
});

test.each(["", "0", "0-4", "4-", "-4", "1-2-3", "1.5", "1e3", "a", " 1", "1234567890", "1-1234567890"])(
  "%j names no selection",
  (text) => expect(parseSelection(text)).toBeNull(),
);

test.each([
  [
    { first: 0, end: 4 },
    { first: 2, end: 9 },
    { first: 2, end: 4 },
  ],
  [{ first: 0, end: 4 }, { first: 4, end: 9 }, null],
  [
    { first: 3, end: 4 },
    { first: 0, end: 9 },
    { first: 3, end: 4 },
  ],
])("what %o and %o have in common", (one, other, both) => {
  expect(overlap(one, other)).toEqual(both);
  expect(overlap(other, one)).toEqual(both);
});
