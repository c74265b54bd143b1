/** The name of a run's maker, given when the run was shared. Nobody checks the name. Pure. */

import type { Trace, TraceRecord } from "../format/format.ts";
import type { RequestRecord } from "../format/format-request.ts";
import { toWellFormed } from "../parse/check.ts";
import { showInvisibleCharacters, withoutInvisible } from "../text/visible-text.ts";

/** The most UTF-16 units of a name that are shown. A record from another program may have a longer name. */
export const longestAuthorName = 60;

/** The name in a record as it is shown; null if it has no visible character. */
export function shownAuthorName(request: Pick<RequestRecord, "maker"> | null): string | null {
  const beginning = (request?.maker ?? "").slice(0, 4 * longestAuthorName);
  return showInvisibleCharacters(beginning.replace(/\s+/g, " ").trim(), longestAuthorName) || null;
}

/** A typed name as it is recorded: without invisible characters. Empty if nothing is left. */
export function cleanAuthorName(typed: string): string {
  return withoutInvisible(toWellFormed(typed.slice(0, longestAuthorName)))
    .replace(/\s+/g, " ")
    .trim();
}

/** The trace with the maker's name; the same trace if it has a name already, or if the name is empty. */
export function traceWithAuthorName(trace: Trace, maker: string): Trace {
  const [first, ...others] = trace.records;
  const named = first && recordWithAuthorName(first, maker);
  return named === first || !named ? trace : { ...trace, records: [named, ...others] };
}

/** Adds the maker's name to a `request` record. A record that already has a name keeps it, and an empty name adds nothing. */
export function recordWithAuthorName(record: TraceRecord, maker: string): TraceRecord {
  const isOpen = record.type === "request" && record.maker === undefined && maker !== "";
  return isOpen ? { ...record, maker } : record;
}
