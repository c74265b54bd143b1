/** Notes on shown runs beside their records, by trace, as long as the page is open. */
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";

const replaced = new WeakSet<TraceModel>();
const repeated = new WeakMap<TraceModel, RepeatedRun>();
const compared = new WeakSet<TraceModel>();

/** A run from a link: its trace, and the id under which the page saves imported runs. */
export interface RepeatedRun {
  readonly trace: TraceModel;
  readonly id: string;
}

/** Notes that an example was put into the editor while this run was shown. */
export function markEditorReplaced(shown: TraceModel): void {
  replaced.add(shown);
}

export function isEditorReplaced(shown: TraceModel): boolean {
  return replaced.has(shown);
}

/** Notes that a run repeats a run from a link. */
export function noteRepeatedRun(run: TraceModel, recorded: RepeatedRun): void {
  repeated.set(run, recorded);
}

/** The run from a link that this run repeats; null if it repeats none. */
export function repeatedRun(run: TraceModel): RepeatedRun | null {
  return repeated.get(run) ?? null;
}

/** Whether this is the first call for this run: the page opens the comparison of both runs by itself once. */
export function isFirstComparison(run: TraceModel): boolean {
  const isFirst = !compared.has(run);
  compared.add(run);
  return isFirst;
}
