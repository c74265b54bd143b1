import fc from "fast-check";
import { expect, test } from "vitest";
import { type FilterCondition, parseFilter } from "./filter-language.ts";
import { maxFilterLength } from "./filter-limits.ts";

const infinity = Number.POSITIVE_INFINITY;
const number = (key: string, least: number, most: number, isOpen = false) => ({
  type: "number",
  key,
  least,
  most,
  isOpen,
});

test.each<[string, readonly (object | FilterCondition)[]]>([
  ["", []],
  ["  ", []],
  ["Lily", [{ type: "text", text: "lily" }]],
  ['"two Words"', [{ type: "text", text: "two words" }]],
  ["kind:forced", [{ type: "word", key: "kind", word: "forced" }]],
  ["event:FORWARDPASS", [{ type: "word", key: "event", word: "forwardPass" }]],
  ['mod:"my Mod"', [{ type: "mod", name: "my mod" }]],
  ["p<0.1", [number("p", -infinity, 0.1, true)]],
  ["p<=10%", [number("p", -infinity, 0.1)]],
  ["p>1e-5", [number("p", 1e-5, infinity, true)]],
  ["p:1e-5-1e-2", [number("p", 1e-5, 1e-2)]],
  ["step:100-200", [number("step", 100, 200)]],
  ["step:100-", [number("step", 100, infinity)]],
  ["step:-100", [number("step", -infinity, 100)]],
  ["token=7", [number("token", 7, 7)]],
  ["took>5ms", [number("took", 5000, infinity, true)]],
  ["took<2s", [number("took", -infinity, 2_000_000, true)]],
  ["/a\\/[/]b/i", [{ type: "regex", source: "a\\/[/]b", flags: "i" }]],
  ["kind:forced  p<0.1", [{ type: "word", key: "kind", word: "forced" }, number("p", -infinity, 0.1, true)]],
])("%s", (text, conditions) => {
  const { terms, problems } = parseFilter(text);
  expect(terms.map(({ condition }) => condition)).toEqual(conditions);
  expect(problems).toEqual([]);
});

test("a minus turns a condition round, and alone it is a word", () => {
  expect(parseFilter("-kind:forced - a-b").terms.map(({ isNot, from, to }) => [isNot, from, to])).toEqual([
    [true, 0, 12],
    [false, 13, 14],
    [false, 15, 18],
  ]);
});

test.each([
  ["kind:blue", 5, 9, "“blue” is not a value of “kind”: use sampled, adjusted"],
  ["Lily kind:", 10, 11, "kind: needs a word"],
  ["lily knd:forced", 5, 8, "Unknown filter “knd”"],
  ["p<x", 2, 3, "“x” is not a number: p<0.1"],
  ["p<5apples", 2, 9, "“5apples” is not a number"],
  ["p<", 2, 3, "needs a number"],
  ["step:200-100", 5, 12, "write 100-200"],
  ["step:-", 5, 6, "a range of numbers"],
  ["mod:", 4, 5, "needs a name"],
  ["mod<x", 3, 4, "Write a colon"],
  ['a "b', 2, 3, "The quotation mark is not closed"],
  ['mod:"b', 4, 5, "The quotation mark is not closed"],
  ["a /b", 2, 3, "The regular expression is not closed"],
  ["//", 0, 2, "The regular expression is empty"],
  ["a".repeat(maxFilterLength + 1), maxFilterLength, maxFilterLength + 1, "the limit is 1000"],
])("%s is wrong from %i to %i: %s", (text, from, to, message) => {
  const [problem] = parseFilter(text).problems;
  expect(problem).toMatchObject({ from, to });
  expect(problem?.message).toContain(message);
});

test("whatever is written: what is found lies in the text, in its order, and nothing is left unread", () => {
  const pieces = fc.constantFrom(
    "kind:",
    "p<",
    "0.1",
    "/",
    '"',
    "-",
    " ",
    "mod:",
    "a",
    ":",
    "=",
    "\\",
    "[",
    "é",
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 14 }), (list) => {
      const text = list.join("");
      const { terms, problems, parts } = parseFilter(text);
      for (const { from, to } of [...terms, ...parts])
        expect(0 <= from && from <= to && to <= text.length).toBe(true);
      for (const { from, to } of problems) expect(from < to && from <= text.length).toBe(true);
      const seen = parts.map(({ from, to }) => text.slice(from, to)).join("");
      expect(seen.replace(/\s/g, "")).toBe(text.replace(/\s/g, ""));
    }),
  );
});
