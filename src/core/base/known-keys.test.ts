import { expect, test } from "vitest";
import { formatNameSuggestion, nearestName, refuseUnknownKeys, unknownKey } from "./known-keys.ts";

const known = ["includes", "maxTokens", "max_tokens", "expect", "stop"];

test.each([
  ["incldes", "includes"],
  ["inculdes", "includes"],
  ["includess", "includes"],
  ["Includes", "includes"],
  ["expct", "expect"],
  ["maxtokens", "maxTokens"],
  ["stpo", "stop"],
  ["banana", null],
  ["", null],
  ["x".repeat(100_000), null],
])("for %j %j was meant", (name, meant) => expect(nearestName(name, known)).toBe(meant));

test("what is not given is not unknown, and a suggestion lists all names where none is near", () => {
  expect(unknownKey({ stop: 1, other: undefined }, known)).toBeUndefined();
  expect(unknownKey({ stop: 1, other: null }, known)).toBe("other");
  expect(formatNameSuggestion("zzz", ["b", "a"])).toBe("The known names are a, b.");
  expect(() =>
    refuseUnknownKeys({ stpo: 1 }, known, "tests[0]", (message) => new TypeError(message)),
  ).toThrow('tests[0].stpo is not known. Did you mean "stop"?');
});

test("a getter of a known key is not called: its reader reads the value once", () => {
  const value = {
    get stop(): never {
      throw new Error("read");
    },
  };
  expect(unknownKey(value, known)).toBeUndefined();
});
