import { expect, test } from "vitest";
import { defaultMemoryBudget, deviceMemoryBytes } from "./memory-budget.ts";

test("half of the memory that the browser tells of, else 4 GB", () => {
  expect(defaultMemoryBudget({ deviceMemory: 4 })).toBe(2e9);
  expect(defaultMemoryBudget({})).toBe(4e9);
  // Node does not report the device's memory.
  expect(defaultMemoryBudget()).toBe(4e9);
});

test("what is no amount of memory counts as not told", () => {
  for (const deviceMemory of [0, -1, Number.NaN, "8", null, undefined])
    expect(deviceMemoryBytes({ deviceMemory })).toBeNull();
  expect(deviceMemoryBytes({ deviceMemory: 0.5 })).toBe(5e8);
});
