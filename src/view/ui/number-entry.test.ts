import { expect, test } from "vitest";
import { parseNumberEntry } from "./number-entry.ts";

test.each([
  ["0.5", 0.1, 0.5],
  ["1e-1", 0.1, 0.1],
  ["5", 0.1, 5],
  ["5.1", 0.1, null],
  ["1e9", 0.1, null],
  ["1e", 0.1, null],
  ["", 0.1, null],
  [" ", 0.1, null],
  ["-1", 0.1, null],
  ["2", 1, 2],
  ["2.5", 1, null],
])("%s in steps of %d is %s", (text, step, value) => {
  expect(parseNumberEntry(text, { min: 0, max: 5, step })).toBe(value);
});
