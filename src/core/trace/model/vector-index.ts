/** The numbers of a trace's vectors, which stand at a vector's first use. */
import type { TraceRecord } from "../format/format.ts";
import { vectorsOf } from "../format/vectors.ts";

/** The numbers of the vectors of a trace, by digest. Vectors that were left out are missing. */
export function vectorsByDigest(records: readonly TraceRecord[]): ReadonlyMap<number, Float32Array> {
  const found = new Map<number, Float32Array>();
  for (const record of records) {
    if (record.type !== "modCall") continue;
    for (const { digest, numbers } of vectorsOf(record.action))
      if (numbers !== null && !found.has(digest)) found.set(digest, Float32Array.from(numbers));
  }
  return found;
}
