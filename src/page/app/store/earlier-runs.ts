/** Notes on shown runs beside their records, by trace, as long as the page is open. */
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";

const replaced = new WeakSet<TraceModel>();
const repeated = new WeakMap<TraceModel, TraceModel>();

/** Notes that an example was put into the editor while this run was shown. */
export function markEditorReplaced(shown: TraceModel): void {
  replaced.add(shown);
}

export function isEditorReplaced(shown: TraceModel): boolean {
  return replaced.has(shown);
}

/** Notes that a run repeats a run from a link. */
export function noteRepeatedRun(run: TraceModel, recorded: TraceModel): void {
  repeated.set(run, recorded);
}

/** The run from a link that this run repeats; null if it repeats none. */
export function repeatedRun(run: TraceModel): TraceModel | null {
  return repeated.get(run) ?? null;
}
