import { expect, test } from "vitest";
import {
  colouredBeginningOf,
  isLongSource,
  mostColouredCharacters,
  mostColouredLines,
  sizeOfSource,
} from "./source-sizes.ts";

test.each([
  ["nothing", "", { characters: 0, lines: 1 }, false],
  ["a mod", "a\nb\n", { characters: 4, lines: 3 }, false],
  ["the longest", "a".repeat(mostColouredCharacters), { characters: 65_536, lines: 1 }, false],
  ["a character more", "a".repeat(mostColouredCharacters + 1), { characters: 65_537, lines: 1 }, true],
  ["the most lines", "\n".repeat(mostColouredLines - 1), { characters: 4_999, lines: 5_000 }, false],
  ["a line more", "\n".repeat(mostColouredLines), { characters: 5_000, lines: 5_001 }, true],
])("%s", (_name, source, size, isLong) => {
  expect(sizeOfSource(source)).toEqual(size);
  expect(isLongSource(size)).toBe(isLong);
  const beginning = colouredBeginningOf(source);
  expect(source.startsWith(beginning)).toBe(true);
  expect(isLongSource(sizeOfSource(beginning))).toBe(false);
  if (!isLong) expect(beginning).toBe(source);
});

test("the beginning of a long source is as long as it may be", () => {
  expect(colouredBeginningOf("a".repeat(100_000))).toHaveLength(mostColouredCharacters);
  expect(sizeOfSource(colouredBeginningOf("a\n".repeat(6_000))).lines).toBe(mostColouredLines);
});
