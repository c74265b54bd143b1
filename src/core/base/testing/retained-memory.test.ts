import { expect, test } from "vitest";
import { measureRetainedMemory, megabyte } from "./retained-memory.ts";

// No lower bounds: garbage of an earlier test file may be freed while a value is made.
test("memory that something else fills during one measurement does not count", async () => {
  const others: Uint8Array[] = [];
  const { value, bytes } = await measureRetainedMemory(() => {
    if (others.length === 0) others.push(new Uint8Array(100 * megabyte).fill(1));
    return new Uint8Array(10 * megabyte).fill(1);
  }, 50 * megabyte);
  expect(value.length).toBe(10 * megabyte);
  expect(others).toHaveLength(1);
  expect(bytes).toBeLessThan(50 * megabyte);
});
