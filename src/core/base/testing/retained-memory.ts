/** Measures the memory that a value takes, since an object's own count of its bytes may be wrong. */
import { collectGarbage } from "./collect-garbage.ts";

/** Bytes of JavaScript objects and array buffers that are in use after garbage is collected. */
async function bytesInUse(): Promise<number> {
  // Two rounds: V8 subtracts the bytes of a collected array buffer only some time after the collection, at the latest before
  // the next one.
  for (let round = 0; round < 2; round++) {
    // Waits for a new task: objects to which only the previous task referred are garbage then.
    await new Promise((resolve) => setTimeout(resolve));
    collectGarbage();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** The most times that a value is made. */
const mostMeasurements = 3;

/**
 * Measures the memory of a value. Test files share a process, and unfinished work of an earlier file may use memory meanwhile.
 * So a result above `atMost` is measured again, up to three times in all, and the smallest result counts. Give `atMost` only
 * if `make` makes a new value at each call.
 *
 * @returns the value that was made last, and the bytes by which the memory in use grew while a value was made.
 */
export async function measureRetainedMemory<Value>(
  make: () => Value | Promise<Value>,
  atMost: number = Number.POSITIVE_INFINITY,
): Promise<{ readonly value: Value; readonly bytes: number }> {
  let bytes = Number.POSITIVE_INFINITY;
  for (let count = 1; ; count++) {
    const measured = await measure(make);
    bytes = Math.min(bytes, measured.bytes);
    if (bytes <= atMost || count === mostMeasurements) return { value: measured.value, bytes };
  }
}

async function measure<Value>(
  make: () => Value | Promise<Value>,
): Promise<{ readonly value: Value; readonly bytes: number }> {
  const before = await bytesInUse();
  const value = await make();
  return { value, bytes: (await bytesInUse()) - before };
}

export const megabyte = 2 ** 20;
