/** Which runs a query finds, and what is shown of them. */
import { describe, expect, test } from "vitest";
import { createRunMatcher, queryWords } from "./search.ts";
import { runWith } from "./testing/some-runs.ts";

const { metadata, texts } = runWith(
  "a",
  { prompt: "Tell me of a Dragon.", output: "It was 3.5 m (long) in Zürich — naïve “İstanbul”." },
  { title: "First Try", tags: ["keep-me"], mods: ["swap-name"], model: "org/SmolLM2", maker: "Ada Lovelace" },
);

test.each([
  ["", []],
  ["  two words ", ["two", "words"]],
  ['a "b c" d', ["a", "b c", "d"]],
  ['"not closed', ["not closed"]],
  ['"" " "', []],
])("the words of %j", (query, words) => expect(queryWords(query)).toEqual(words));

describe("finds", () => {
  test.each([
    ["dragon", true],
    ["DRAGON zürich", true],
    ["dragon unicorn", false],
    ["3.5", true],
    ["3x5", false],
    ["(long)", true],
    ["[a-z]", false],
    ["\\", false],
    ['"me of"', true],
    ["me-of", false],
    ["keep-me", true],
    ["first swap smol", true],
    ["first dragon", true],
    ["lovelace dragon", true],
    ["—", true],
    ["", true],
  ])("%j: %j", (query, isFound) => expect(createRunMatcher(query)(metadata, texts) !== null).toBe(isFound));
});

test("what is shown is what was found first, in the letters of the text, with what stands around it", () => {
  expect(createRunMatcher("ZÜRICH dragon")(metadata, texts)).toEqual({
    field: "output",
    before: "It was 3.5 m (long) in ",
    found: "Zürich",
    after: " — naïve “İstanbul”.",
  });
  expect(createRunMatcher("first")(metadata, texts)).toBe("metadata");
  const long = { prompt: "", output: `${"x".repeat(500)}needle${"y".repeat(500)}` };
  const excerpt = createRunMatcher("needle")(metadata, long);
  expect(excerpt).toMatchObject({ before: `…${"x".repeat(24)}`, found: "needle", after: "y".repeat(120) });
});
