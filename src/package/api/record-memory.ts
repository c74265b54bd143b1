/** Estimates the memory of trace records from their values. */

/** Estimates the memory of plain data in bytes, at least as much as V8 uses: `request-store.test.ts` measures this. */
export function estimateMemoryOfData(value: unknown): number {
  if (typeof value === "string") return 24 + 2 * value.length;
  if (typeof value !== "object" || value === null) return 16;
  if (ArrayBuffer.isView(value)) return 200 + value.byteLength;
  const isList = Array.isArray(value);
  let bytes = isList ? 48 : 56;
  const entries: readonly unknown[] = isList ? value : Object.values(value);
  for (const entry of entries) bytes += 8 + estimateMemoryOfData(entry);
  return bytes;
}
