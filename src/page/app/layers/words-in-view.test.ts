/** Words in view are read first, then those behind them, then those before. */
import { expect, test } from "vitest";
import { nextUnreadWord } from "./words-in-view.ts";

test.each<[number, number, readonly number[], number | null]>([
  [5, 0, [], 0],
  [5, 3, [], 3],
  [5, 3, [3], 4],
  [5, 3, [3, 4], 0],
  [5, 3, [0, 1, 3, 4], 2],
  [5, 3, [0, 1, 2, 3, 4], null],
  [0, 0, [], null],
])("of %i words, from %i on, with %j read", (count, first, read, expected) => {
  expect(nextUnreadWord(count, (index) => read.includes(index), first)).toBe(expected);
});
