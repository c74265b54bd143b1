/**
 * Reads or follows the source that a timeline is to show, and updates the timeline's state. Releases the previous source.
 */
import { importProgramPart } from "../../core/base/import-part.ts";
import { overlap, rangeOf, type Selection } from "../../core/trace/model/selection.ts";
import { createTraceModel, type TraceModel } from "../../core/trace/model/trace-model.ts";
import { createUpdateScheduler, type ScheduleUpdate } from "../../view/ui/next-frame.ts";
import { followRequest } from "./follow-request.ts";
import type { RecordedRunSource } from "./open-recorded-run.ts";
import { TimelineError } from "./timeline-error.ts";
import type { TimelineSource } from "./timeline-source.ts";
import { createTimelineStore, emptyTimelineState, type TimelineStore } from "./timeline-state.ts";

export interface TimelineController {
  readonly store: TimelineStore;
  /** Shows another source, or nothing. Cancels the current reading. `base`: the base of relative addresses. */
  show(source: TimelineSource | null, base: string): void;
  /** Selects tokens of the run. @returns false if the run does not have these tokens; the selection does not change then */
  select(selection: Selection | null): boolean;
  /** Releases the source: reading and following end. The shown run stays. */
  stop(): void;
}

/** @param nextFrame decides when new records are drawn */
export function createTimelineController(
  nextFrame: ScheduleUpdate = createUpdateScheduler(),
): TimelineController {
  const store = createTimelineStore();
  let end = () => {};
  return {
    store,
    show(source, base) {
      end();
      end = () => {};
      store.set({ ...emptyTimelineState, version: store.get().version + 1 });
      if (source?.type === "request") end = follow(store, source, nextFrame);
      else if (source) end = read(store, source, base);
    },
    select(selection) {
      const count = store.get().trace?.tokens.text.length ?? 0;
      if (selection && overlap(rangeOf(selection), { first: 0, end: count }) === null) return false;
      if (selection && rangeOf(selection).end > count) return false;
      store.set({ selection });
      return true;
    },
    stop() {
      end();
      end = () => {};
    },
  };
}

const grown = (store: TimelineStore) => store.get().version + 1;

function read(store: TimelineStore, source: RecordedRunSource, base: string): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  store.set({ status: "loading", share: null });
  const onProgress = (share: number, model: TraceModel | null) => {
    if (signal.aborted) return;
    store.set({ share, ...(model && { trace: model, version: grown(store) }) });
  };
  importProgramPart("The trace reader", () => import("./open-recorded-run.ts"), "openRecordedRun")
    .then(({ openRecordedRun }) => openRecordedRun(source, { signal, base, onProgress }))
    .then(
      (trace) => {
        if (!signal.aborted) store.set({ status: "finished", trace, version: grown(store), share: null });
      },
      (cause: unknown) => {
        if (!signal.aborted) fail(store, cause, null);
      },
    );
  return () =>
    stop.abort(
      new DOMException("Loading stopped, because the timeline was given another run.", "AbortError"),
    );
}

function fail(store: TimelineStore, cause: unknown, trace: TraceModel | null): void {
  const error = cause instanceof Error ? cause : new TimelineError(String(cause));
  store.set({ status: "failed", error, trace, version: grown(store), share: null });
}

type RequestSource = Extract<TimelineSource, { type: "request" }>;

function follow(store: TimelineStore, { engine, id }: RequestSource, nextFrame: ScheduleUpdate): () => void {
  let model = createTraceModel();
  let isLeft = false;
  let isWaiting = false;
  let shown: Parameters<TimelineStore["set"]>[0] = { status: "waiting" };
  const draw = () => {
    isWaiting = false;
    if (isLeft) return;
    const trace = model.records.length > 0 ? model : null;
    store.set({ ...shown, trace, version: grown(store) });
  };
  const drawSoon = () => {
    if (isWaiting) return;
    isWaiting = true;
    nextFrame(draw);
  };
  try {
    const end = followRequest(engine, id, {
      begin() {
        model = createTraceModel();
        shown = { status: "waiting", error: null };
        store.set({ ...shown, trace: null, selection: null, version: grown(store) });
      },
      take(records) {
        model.append(records);
        drawSoon();
      },
      tell({ status, error }) {
        // A run that failed but has its last record can be shown, and this record gives the reason.
        shown = model.finished ? { status: "finished", error: null } : { status, error };
        drawSoon();
      },
    });
    return () => {
      isLeft = true;
      end();
    };
  } catch (cause) {
    fail(store, cause, null);
    return () => {};
  }
}
