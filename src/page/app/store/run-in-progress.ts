/** A run in progress, its listeners, and the delivery of its records to them. */
import type { TraceRecord } from "../../../core/trace/format/format.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import type { ScheduleUpdate } from "../../../view/ui/next-frame.ts";
import type { ShownRun } from "./shown-run.ts";

/** A run that this page started, for listeners to its records, whether or not the run is shown. */
export interface RunInProgress extends Pick<ShownRun, "id" | "modIds" | "from"> {
  readonly trace: TraceModel;
  /** Calls `listener` after new records arrived, until the returned function is called. */
  watch(listener: () => void): () => void;
  /** Settles after the last record, with the reason why the run broke down, or null. */
  readonly ended: Promise<string | null>;
}

export function createRunInProgress(trace: TraceModel, { id, modIds, from }: ShownRun) {
  const listeners = new Set<() => void>();
  let end: (failure: string | null) => void = () => {};
  const ended = new Promise<string | null>((resolve) => {
    end = resolve;
  });
  const run: RunInProgress = {
    id,
    modIds,
    from,
    trace,
    ended,
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const notify = () => {
    for (const listener of [...listeners]) listener();
  };
  return { run, notify, end };
}

/** Whether the run ended because the user stopped it, which is no failure. */
export function isAbort(cause: unknown): boolean {
  return cause instanceof DOMException && cause.name === "AbortError";
}

/** Gathers records and delivers them together, so that React does not render for every token of a fast model. */
export function batchRecords(frame: ScheduleUpdate, deliver: (records: readonly TraceRecord[]) => void) {
  let waiting: TraceRecord[] = [];
  const flush = () => {
    if (waiting.length === 0) return;
    const records = waiting;
    waiting = [];
    deliver(records);
  };
  const take = (records: readonly TraceRecord[]) => {
    if (waiting.length === 0 && records.length > 0) frame(flush);
    waiting.push(...records);
  };
  return { take, flush };
}
