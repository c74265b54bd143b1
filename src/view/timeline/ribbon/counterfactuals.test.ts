import { expect, test } from "vitest";
import { type CounterfactualWidth, counterfactualWidth } from "./counterfactuals.ts";

test.each<[string, string | null, boolean, CounterfactualWidth]>([
  ["girl", null, true, "all"],
  ["girl", " boy and his dog", true, "all"],
  ["b", "g", true, "sign"],
  ["there", "i", true, "none"],
  ["there", "i", false, "none"],
  ["would", "was ", true, expect.any(Number)],
  ["字字", "abcdef", true, "all"],
  ["字字字字", "ab字d", false, expect.any(Number)],
])("%s above %s, with a sign: %s, is as wide as %s", (counterfactual, below, hasSign, width) => {
  expect(counterfactualWidth(counterfactual, below, hasSign)).toEqual(width);
});

test("what may be shown of a counterfactual ends before the next one", () => {
  // Ten letters of at least 0.5 em at 18 px are 90 px: 7.5 em of the counterfactual's 12 px, less the gap.
  expect(counterfactualWidth("m".repeat(30), "a".repeat(10), false)).toBeCloseTo(7.1);
});
