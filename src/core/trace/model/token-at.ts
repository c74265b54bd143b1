/**
 * The token that belongs to a place among the records: the first token added from there on, or else the last token. Null if no
 * token was added.
 */
import type { TraceRecord } from "../format/format.ts";

export function tokenAtRecord(records: readonly TraceRecord[], place: number): number | null {
  for (let next = place; next < records.length; next += 1) {
    const record = records[next];
    if (record?.type === "added") return record.index;
  }
  const last = records.findLast((record) => record.type === "added");
  return last?.type === "added" ? last.index + last.tokens.length - 1 : null;
}
