import { expect, test } from "vitest";
import { exampleGroups, examples } from "../../examples/index.ts";
import { findExamples } from "./find-examples.ts";

function namesFor(text: string): readonly string[] {
  return findExamples(exampleGroups, text).flatMap((group) => group.examples.map(({ name }) => name));
}

test("no text, and white space, find everything in its order", () => {
  expect(namesFor("")).toEqual(examples.map(({ name }) => name));
  expect(namesFor("  ")).toHaveLength(examples.length);
});

test.each([
  ["em dash", ["no-em-dash"]],
  ["JSON Check", ["check-json"]],
  ["character-sheet", ["character-sheet"]],
  ["no such mod", []],
])("%j finds %j", (text, expected) => {
  expect(namesFor(text)).toEqual(expected);
});

test("a group's title finds what is in it, and empty groups are left out", () => {
  const groups = findExamples(exampleGroups, "flows");
  expect(groups.map(({ title }) => title)).toEqual(["Flows"]);
  expect(groups[0]?.examples.length).toBeGreaterThan(3);
});
