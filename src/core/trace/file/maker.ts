/** Who made a run: a name that its maker gave when it was shared, and that nobody checks. Pure. */

import type { Trace, TraceRecord } from "../format/format.ts";
import type { RequestRecord } from "../format/format-request.ts";
import { wellFormed } from "../parse/check.ts";
import { visibleText, withoutUnseen } from "../text/visible-text.ts";

/** UTF-16 units of a name that are taken and shown. A record from elsewhere may have a longer one. */
export const longestMaker = 60;

/** The name in a record as it is shown; null if there is none to be seen. */
export function makerOf(request: Pick<RequestRecord, "maker"> | null): string | null {
  const beginning = (request?.maker ?? "").slice(0, 4 * longestMaker);
  return visibleText(beginning.replace(/\s+/g, " ").trim(), longestMaker) || null;
}

/** A name as its maker typed it, for a record: what is not seen in it is left out. Empty if nothing is left. */
export function makerFrom(typed: string): string {
  return withoutUnseen(wellFormed(typed.slice(0, longestMaker)))
    .replace(/\s+/g, " ")
    .trim();
}

/** The trace with the name in it. */
export function signed(trace: Trace, maker: string): Trace {
  const [first, ...others] = trace.records;
  const named = first && signedRecord(first, maker);
  return named === first || !named ? trace : { ...trace, records: [named, ...others] };
}

/**
 * Adds the maker's name to a record that can have one. A record that somebody else signed keeps its name, and an
 * empty name signs nothing.
 */
export function signedRecord(record: TraceRecord, maker: string): TraceRecord {
  const isOpen = record.type === "request" && record.maker === undefined && maker !== "";
  return isOpen ? { ...record, maker } : record;
}
