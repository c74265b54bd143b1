import { expect, test } from "vitest";
import { mayTakeMuchWork } from "./large-patterns.ts";

test.each<[readonly string[], number, boolean]>([
  [["^[a-z]{3,16}$"], 0, false],
  [["^[a-z0-9]{1,99}$"], 0, false],
  [["^[a-z0-9]{1,253}$"], 0, true],
  [["\\d{3}-\\d{2}-\\d{4}"], 0, false],
  [["a.{8}b.{8}c"], 0, true],
  [["^.*a.{20}$"], 0, true],
  [["a.{8}b", "c.{8}d"], 0, true],
  [["^(?=.*[a-z])(?=.*[A-Z])(?=.*\\d).{8,64}$"], 0, false],
  [["^(?=.*a.{20}b).+$"], 0, true],
  [["^(?!a)(?!b)(?!c)(?!d)(?!e).+$"], 0, true],
  [["^https://"], 1, false],
  [["a.{8}z"], 1, true],
  [[], 2, false],
])("%j with %i formats: %s", (patterns, formats, expected) => {
  expect(mayTakeMuchWork(patterns, formats)).toBe(expected);
});

test("where the whole text has to match, a count begins at one place", () => {
  expect(mayTakeMuchWork(["[a-z]{30}"], 0, true)).toBe(false);
  expect(mayTakeMuchWork(["[a-z]{30}"])).toBe(true);
});
