/** What the records of a request are to a replay of it. */
import type { ModCallRecord, TraceRecord } from "../../trace/format.ts";
import { actionTraits } from "../../trace/format-action.ts";

/** Records that follow from the others: a replay does not make them anew, but takes them over. */
const derived: ReadonlySet<TraceRecord["type"]> = new Set(["adjusted", "scored"]);

export function isDerived(record: TraceRecord): boolean {
  return derived.has(record.type) || (record.type === "forwardPass" && record.before === null);
}

/** Whether the mod asked for something that changes the output or ends the request. */
export function isChange({ action, fault }: ModCallRecord): boolean {
  return fault === null && actionTraits[action.type].changesOutput;
}
