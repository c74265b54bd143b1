import fc from "fast-check";
import { expect, test } from "vitest";
import { ConstraintLimitError, StrategyError } from "../strategy-error.ts";
import { createTextMatcher } from "./text-matcher.ts";

const expressions = [
  ["Lily", ""],
  ["lily", "i"],
  ["^a", ""],
  ["b$", ""],
  ["^(a|bc)*$", ""],
  ["", ""],
  ["[^a]b{2,3}", ""],
  ["a.c", "s"],
  ["a.c", ""],
  ["é+|\\d{2}", ""],
  ["^$", ""],
] as const;

test.each(expressions)("/%s/%s answers as RegExp does", (source, flags) => {
  const matches = createTextMatcher(source, flags);
  const native = new RegExp(source, `${flags}u`);
  const texts = [
    "",
    "a",
    "ab",
    "Lily ran",
    "LILY",
    "a\nc",
    "abc",
    "bb",
    "xbbb",
    "éé",
    "é",
    "42",
    "a42b",
    "bca",
  ];
  for (const text of texts) expect(matches(text), JSON.stringify(text)).toBe(native.test(text));
  const letters = fc.string({ unit: fc.constantFrom("a", "b", "c", "é", "\n", "4", "L"), maxLength: 12 });
  fc.assert(fc.property(letters, (text) => matches(text) === native.test(text)));
});

test("an expression that hangs a backtracking engine is answered", () => {
  const matches = createTextMatcher("^(a+)+$");
  expect(matches("a".repeat(50_000))).toBe(true);
  expect(matches(`${"a".repeat(50_000)}!`)).toBe(false);
});

test("what cannot be asked is refused with its place", () => {
  expect(() => createTextMatcher("a(?=b)")).toThrow(StrategyError);
  expect(() => createTextMatcher("(")).toThrow(/column/);
  expect(() => createTextMatcher("(a{1000}){1000}")).toThrow(/repetitions/);
});

test("one whose automaton explodes ends with an error, not with a standing page", () => {
  const matches = createTextMatcher(`(a|b)*a${"(a|b)".repeat(3_000)}(a|b)*c$`);
  const text = Array.from({ length: 20_000 }, (_, at) => "ab"[((at * at + (at >> 3)) % 3) % 2]).join("");
  expect(() => matches(text)).toThrow(ConstraintLimitError);
});
