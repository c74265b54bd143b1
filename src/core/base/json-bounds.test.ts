/** JSON from outside is counted before it is parsed. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { JsonBoundsError, measureJson, parseBoundedJson } from "./json-bounds.ts";

const bounds = { characters: 1_000_000, depth: 10, values: 100 };

test.each<[string, string, string]>([
  ["too long", '"'.padEnd(1_000_002, "x"), "1,000,002 characters; the limit is 1,000,000"],
  ["too deep", "[".repeat(11), "11 levels of nested lists or objects; the limit is 10"],
  ["deep and long", "[".repeat(900_000), "900,000 levels of nested lists or objects"],
  ["too many", `[${"1,".repeat(150)}1]`, "152 entries; the limit is 100"],
  ["too many empty lists", `[${"[],".repeat(99)}[]]`, "201 entries"],
])("%s is refused before it is parsed, with the count and the limit", (_, text, words) => {
  const read = () => parseBoundedJson(text, bounds, "The file");
  expect(read).toThrow(JsonBoundsError);
  expect(read).toThrow(words);
});

test.each<[string, string]>([
  ["brackets in texts", '["[[[[[[[[[[[[", "\\"[[[[[[[[[[[[[[", "\\\\", {"[,[,": 1}]'],
  ["just deep enough", "[".repeat(10) + "]".repeat(10)],
])("%s are read", (_, text) => {
  expect(parseBoundedJson(text, bounds, "The file")).toEqual(JSON.parse(text));
});

test("what is counted is what a value has, whatever its texts are", () => {
  const depthOf = (value: unknown): number => {
    if (typeof value !== "object" || value === null) return 0;
    return 1 + Math.max(0, ...Object.values(value).map(depthOf));
  };
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      expect(measureJson(JSON.stringify(value)).depth).toBe(depthOf(value));
    }),
  );
});
