/**
 * Finds the vectors of `steer` and `patch` actions: the vectors that a record names, and their numbers, which stand at a vector's
 * first use. Pure.
 */
import type { TraceRecord, TraceVector } from "./format.ts";

const noVectors: readonly TraceVector[] = [];

/** The vectors of a mod's action, in order. */
export function vectorsOf(record: TraceRecord): readonly TraceVector[] {
  if (record.type !== "modCall") return noVectors;
  const { action } = record;
  if (action.type === "patch") return [action.vector];
  return action.type === "steer" ? action.vectors.map(({ vector }) => vector) : noVectors;
}

/** The numbers of the vectors of a trace, by digest. Vectors that were left out are missing. */
export function vectorIndex(records: readonly TraceRecord[]): ReadonlyMap<number, Float32Array> {
  const found = new Map<number, Float32Array>();
  for (const record of records) {
    for (const { digest, numbers } of vectorsOf(record))
      if (numbers !== null && !found.has(digest)) found.set(digest, Float32Array.from(numbers));
  }
  return found;
}
