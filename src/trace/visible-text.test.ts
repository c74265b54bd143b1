import { expect, test } from "vitest";
import { visibleText } from "./visible-text.ts";

test.each([
  ["a\tb\n", "a⇥b↵"],
  ["\u0000\u001b", "␀␛"],
  ["\u202eevil", "\ufffdevil"],
  ["<b>", "<b>"],
])("%j is shown as %j", (text, expected) => {
  expect(visibleText(text)).toBe(expected);
});

test("an endless text is cut", () => {
  expect(visibleText("x".repeat(70_000))).toHaveLength(80);
});
