import { expect, test } from "vitest";
import { countWithNoun, formatCount, formatNumber } from "./number-text.ts";

test("counts have their thousands apart, and their noun in the right number", () => {
  expect(formatCount(1234567)).toBe("1,234,567");
  expect([0, 1, 1000].map((count) => countWithNoun(count, "token"))).toEqual([
    "0 tokens",
    "1 token",
    "1,000 tokens",
  ]);
});

test.each([
  [0, "0"],
  [0.30000000000000004, "0.3"],
  [0.123456789, "0.123"],
  [1.5, "1.5"],
  [12.5, "12.5"],
  [1234.5, "1230"],
])("%f is written %s", (value, text) => {
  expect(formatNumber(value)).toBe(text);
});
