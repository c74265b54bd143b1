/** One call of a mod, in the form in which the step shows it. Pure. */
import type { ModCallRecord } from "../../../core/trace/format/format.ts";
import { modCallItem } from "../../../core/trace/model/call-summary.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";

/** Puts the cursor on a line of a mod. Absent if the page has no editor. */
export type OpenSource = (mod: number, line: number | null) => void;

export interface ModCallEntry {
  readonly record: number;
  readonly mod: number;
  readonly modName: string;
  readonly event: ModCallRecord["event"];
  readonly summary: string;
  readonly line: number | null;
  readonly durationUs: number;
  readonly console: ModCallRecord["console"];
  readonly isFault: boolean;
}

/** A call, by the number of its record. */
export function modCallEntry(trace: TraceModel, record: number): ModCallEntry | null {
  const item = modCallItem(trace, record);
  if (!item) return null;
  const { call, modName, summary } = item;
  return {
    record,
    mod: call.mod,
    modName,
    event: call.event,
    summary,
    line: call.fault?.line ?? call.line,
    durationUs: call.durationUs,
    console: call.console,
    isFault: call.fault !== null,
  };
}
