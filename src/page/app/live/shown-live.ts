/**
 * A watched run in the store of the run that the page shows, as if it were made here. However many messages come, the store
 * changes once a frame: each change draws the page.
 */
import type { StoreApi } from "zustand/vanilla";
import { createTraceModel, type TraceModel } from "../../../core/trace/model/trace-model.ts";
import type { Pause } from "../../../runtime/session/shared/breakpoint.ts";
import type { ScheduleUpdate } from "../../../view/ui/next-frame.ts";
import type { WatchSink } from "../../live/watching.ts";
import { withFinishedRecord } from "../../runs/close-interrupted.ts";
import type { RunState } from "../store/run-store.ts";
import { createImportedRunFields } from "../store/shown-run.ts";

export interface WatchedRunFeed {
  readonly sink: Omit<WatchSink, "over">;
  /** Nothing more comes: a run in progress ends here. */
  interrupt(): void;
}

/** The run that comes, as the store will have it in the next frame. */
interface ComingRun {
  readonly trace: TraceModel;
  status: "running" | "paused" | "finished" | "failed";
  failure: string | null;
  pausedAt: Pause | null;
  interrupted: boolean;
}

const isOver = ({ status }: ComingRun) => status === "finished" || status === "failed";

/** The fields of the store that a new run resets. */
const nothingYet = { startFailure: null, selection: null, file: null, playback: null, reading: null };

export function createWatchedRunFeed(run: StoreApi<RunState>, frame: ScheduleUpdate): WatchedRunFeed {
  let coming: ComingRun | null = null;
  /** The run that was put into the store last. The user may have another run shown since. */
  let shown: TraceModel | null = null;
  let isWaiting = false;
  const show = () => {
    isWaiting = false;
    if (!coming) return;
    const { trace, ...state } = coming;
    const now = { ...state, version: trace.version };
    if (shown !== trace) {
      shown = trace;
      run.setState({ ...createImportedRunFields(), ...nothingYet, ...now, trace });
    } else if (run.getState().trace === trace) run.setState(now);
  };
  const showSoon = () => {
    if (isWaiting) return;
    isWaiting = true;
    frame(show);
  };
  const end = (failure: string | null, interrupted: boolean) => {
    if (!coming || isOver(coming)) return;
    const { trace } = coming;
    if (trace.records.length > 0 && !trace.finished)
      trace.append(withFinishedRecord(trace.records, failure).slice(trace.records.length));
    const status = failure === null ? "finished" : "failed";
    coming = { trace, status, failure, interrupted, pausedAt: null };
  };
  return {
    sink: {
      run() {
        const trace = createTraceModel();
        coming = { trace, status: "running", failure: null, pausedAt: null, interrupted: false };
        showSoon();
      },
      records(records) {
        coming?.trace.append(records);
        showSoon();
      },
      paused(isPaused) {
        if (!coming || isOver(coming)) return;
        const records = coming.trace.records.length;
        coming.status = isPaused ? "paused" : "running";
        coming.pausedAt = isPaused ? { why: { type: "asked" }, records, isBetweenSteps: true } : null;
        showSoon();
      },
      ended(failure) {
        end(failure, false);
        showSoon();
      },
    },
    interrupt() {
      end(null, true);
      if (coming) show();
    },
  };
}
