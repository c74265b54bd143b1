import { expect, test } from "vitest";
import { countWithNoun, formatBytes, formatDuration, formatProbability } from "./format.ts";

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1050, "1.1 KB"],
  [138_000_000, "138 MB"],
  [999_600_000, "1.0 GB"],
])("%i bytes", (bytes, text) => expect(formatBytes(bytes)).toBe(text));

test.each([
  [310, "0.31 ms"],
  [9_940, "9.9 ms"],
  [12_300, "12 ms"],
  [999_600, "1.0 s"],
  [1_400_000, "1.4 s"],
  [125_000_000, "2 min 5 s"],
])("%i µs", (microseconds, text) => expect(formatDuration(microseconds)).toBe(text));

test.each([
  [1, "100%"],
  [0.9999, "> 99.9%"],
  [0.412, "41%"],
  [0.0323, "3.2%"],
  [0.0004, "0.04%"],
  [1e-9, "< 0.01%"],
  [0, "0%"],
])("probability %f", (probability, text) => expect(formatProbability(probability)).toBe(text));

test("plurals", () => {
  expect(countWithNoun(1, "word")).toBe("1 word");
  expect(countWithNoun(1234, "word")).toBe("1,234 words");
});
