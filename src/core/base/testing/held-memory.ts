/** What a value takes of memory, measured: an object's own count of its bytes may be wrong. */
import { collectGarbage } from "./collect-garbage.ts";

/** Bytes of JavaScript objects and array buffers that are in use after garbage is collected. */
function bytesInUse(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** @returns what `make` made, and the bytes by which the memory in use grew while it was made. */
export async function heldMemory<Value>(
  make: () => Value | Promise<Value>,
): Promise<{ readonly value: Value; readonly bytes: number }> {
  const before = bytesInUse();
  const value = await make();
  // A task of its own: what only the last one referred to is garbage by then.
  await new Promise((resolve) => setTimeout(resolve));
  return { value, bytes: bytesInUse() - before };
}

export const megabyte = 2 ** 20;
