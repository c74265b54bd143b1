import { expect, test } from "vitest";
import { passCostOnWasm, passCostOnWebGpu } from "./pass-cost.ts";

const summary = {
  cache: "shared-cache",
  states: 0,
  operators: new Map([["MatMul", 9]]),
  lastLogitsOnly: false,
} as const;

test("on WebGPU eight tokens cost little more than one", () => {
  const cost = passCostOnWebGpu(summary);
  expect([1, 2, 8, 10].map((tokens) => cost?.(tokens))).toEqual([1, 1.0625, 1.4375, 2.5625]);
});

test("a second token costs a quarter of a pass, each one more half of one", () => {
  const cost = passCostOnWasm(summary);
  expect([1, 2, 3, 16].map((tokens) => cost?.(tokens))).toEqual([1, 1.25, 1.75, 8.25]);
});

test.each([
  ["gives the last row alone", "shared-cache", [], true, 0],
  ["quantizes what it computes", "shared-cache", ["DynamicQuantizeLinear"], false, 0],
  ["quantizes it in one operator", "shared-cache", ["com.microsoft.DynamicQuantizeMatMul"], false, 0],
  ["joins its cache with new rows", "growing-cache", [], false, 0],
  ["keeps a state", "shared-cache", [], false, 3],
] as const)("none for a graph that %s", (_, cache, names, lastLogitsOnly, states) => {
  const operators = new Map<string, number>(names.map((name) => [name, 1]));
  for (const cost of [passCostOnWasm, passCostOnWebGpu]) {
    expect(cost({ cache, states, operators, lastLogitsOnly })).toBe(undefined);
  }
});
