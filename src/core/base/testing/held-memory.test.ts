import { expect, test } from "vitest";
import { heldMemory, megabyte } from "./held-memory.ts";

test("a value of 20 MB is measured as 20 MB, also when it is made three times", async () => {
  const { value, bytes } = await heldMemory(() => new Uint8Array(20 * megabyte).fill(1), megabyte);
  expect(value.length).toBe(20 * megabyte);
  expect(bytes).toBeGreaterThan(19.9 * megabyte);
  expect(bytes).toBeLessThan(21 * megabyte);
});

test("memory that something else fills during one measurement does not count", async () => {
  const others: Uint8Array[] = [];
  const { bytes } = await heldMemory(() => {
    if (others.length === 0) others.push(new Uint8Array(50 * megabyte).fill(1));
    return new Uint8Array(10 * megabyte).fill(1);
  }, 11 * megabyte);
  expect(others).toHaveLength(1);
  expect(bytes).toBeLessThan(11 * megabyte);
  expect(bytes).toBeGreaterThan(9.9 * megabyte);
});
