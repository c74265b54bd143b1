import { expect, test } from "vitest";
import { describeValue, showJson } from "./show.ts";

const cyclic: { self?: unknown } = {};
cyclic.self = cyclic;

test.each<[value: unknown, shown: string, json: string]>([
  ["a", '"a"', '"a"'],
  ["x".repeat(41), `"${"x".repeat(40)}…"`, `"${"x".repeat(41)}"`],
  ["x".repeat(60), `"${"x".repeat(40)}…"`, `"${"x".repeat(59)}…`],
  [undefined, "undefined", "undefined"],
  [null, "null", "null"],
  [Number.NaN, "NaN", "NaN"],
  [Number.POSITIVE_INFINITY, "Infinity", "Infinity"],
  [3n, "3", "3"],
  [() => 1, "a function", "a function"],
  [Symbol("s"), "a symbol", "a symbol"],
  [[], "an empty list", "[]"],
  [[1, 2, 3], "a list of 3", "[1,2,3]"],
  [new Float32Array(2), "a list of 2", '{"0":0,"1":0}'],
  [{ a: 1 }, "an object", '{"a":1}'],
  [cyclic, "an object", "an object"],
  [Promise.resolve(1), "a promise (await it first)", "{}"],
])("%#: %o", (value, shown, json) => {
  expect([describeValue(value), showJson(value)]).toEqual([shown, json]);
});

test("nothing of the value is called", () => {
  const trap = () => {
    throw new Error("called");
  };
  expect(describeValue({ toString: trap, toJSON: trap, [Symbol.toPrimitive]: trap })).toBe("an object");
});
