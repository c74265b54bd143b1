/** The run on the page: its state and its trace, whether it runs here or was recorded elsewhere. */
import { createStore, type StoreApi } from "zustand/vanilla";
import { messageOf } from "../../base/message-of.ts";
import type { RunHandle, Session } from "../../session/client.ts";
import type { RunRequest } from "../../session/protocol.ts";
import type { TraceRecord } from "../../trace/format.ts";
import type { Selection } from "../../trace/selection.ts";
import { createTraceModel, type TraceModel } from "../../trace/trace-model.ts";

export type RunStatus = "empty" | "starting" | "running" | "paused" | "finished" | "failed";

/** What the page knows of the run that it shows, beside the trace. */
export interface ShownRun {
  /** Ids of the user's mods, in the order of the trace's mods; empty for a run that was recorded elsewhere. */
  readonly modIds: readonly string[];
  /** True for a run from a link or a file, which was not run here. */
  readonly recorded: boolean;
  /** True when the page was left before the run ended: the record holds what had come by then. */
  readonly interrupted: boolean;
}

export interface RunState extends ShownRun {
  readonly status: RunStatus;
  /** The trace grows in place, so a change shows in `version` and not in this reference. */
  readonly trace: TraceModel;
  readonly version: number;
  /** Why the run that is shown was cut off. */
  readonly failure: string | null;
  /** Why the latest run could not start, until the user changes what caused it. The run before it stays on the page. */
  readonly startFailure: string | null;
  /** Names of the mods for whose compilation the announced run waits; null when it does not, or not for long. */
  readonly compiling: string | null;
  readonly selection: Selection | null;
  /** Says that a run is being prepared. The signal is aborted when the user stops it or shows or begins another. */
  begin(): AbortSignal;
  setCompiling(names: string | null): void;
  /** Says that the run which `begin` announced could not be prepared. */
  fail(message: string): void;
  forgetStartFailure(): void;
  run(request: RunRequest, modIds: readonly string[]): void;
  /** Shows a recorded run; nothing is run. It came from elsewhere unless `about` says that it was run here before. */
  show(trace: TraceModel, about?: ShownRun): void;
  select(selection: Selection | null): void;
  stop(): void;
  pause(): void;
  resume(): void;
  stepOnce(): void;
}

/** Calls `deliver` at the next frame, or soon after where the page is hidden and has no frames. */
export type NextFrame = (deliver: () => void) => void;

const nextFrame: NextFrame = (deliver) => {
  if (document.hidden) setTimeout(deliver, 100);
  else requestAnimationFrame(deliver);
};

export function createRunStore(session: Session | null, frame: NextFrame = nextFrame): StoreApi<RunState> {
  let current: RunHandle | null = null;
  let preparation = new AbortController();
  /** The state that comes back when a run ends before its first record. */
  let before: Partial<RunState> = {};
  return createStore<RunState>()((set, get) => {
    const remember = () => {
      const { status, trace, version, failure, selection, modIds, recorded, interrupted } = get();
      if (status === "starting") return;
      before = { status, trace, version, failure, selection, modIds, recorded, interrupted };
    };
    const follow = (handle: RunHandle, trace: TraceModel, flush: () => void) => {
      const over = (failure: string | null) => {
        flush();
        if (get().trace !== trace) return;
        current = null;
        if (trace.records.length === 0) set({ ...before, startFailure: failure });
        else set({ status: failure === null ? "finished" : "failed", failure });
      };
      handle.done.then(
        () => over(null),
        (cause: unknown) => over(isAbort(cause) ? null : messageOf(cause)),
      );
    };
    return {
      status: "empty",
      trace: createTraceModel(),
      version: 0,
      failure: null,
      startFailure: null,
      compiling: null,
      selection: null,
      ...elsewhere,
      recorded: false,
      begin() {
        current?.stop();
        current = null;
        remember();
        preparation.abort();
        preparation = new AbortController();
        set({ status: "starting", startFailure: null, compiling: null });
        return preparation.signal;
      },
      setCompiling: (compiling) => set({ compiling }),
      fail: (startFailure) => set({ ...before, startFailure }),
      forgetStartFailure: () =>
        set((state) => (state.startFailure === null ? state : { startFailure: null })),
      run(request, modIds) {
        if (!session) throw new Error("There is no engine behind this view: open the playground to run.");
        remember();
        const trace = createTraceModel();
        const nothing = { version: 0, failure: null, startFailure: null, selection: null };
        set({ status: "running", trace, ...nothing, modIds, recorded: false, interrupted: false });
        const { take, flush } = batch(frame, (records) => {
          trace.append(records);
          if (get().trace === trace) set({ version: trace.version });
        });
        current = session.run(request, take);
        follow(current, trace, flush);
      },
      show(trace, about = elsewhere) {
        preparation.abort();
        current?.stop();
        current = null;
        const nothing = { failure: null, startFailure: null, selection: null };
        set({ status: "finished", trace, version: trace.version, ...nothing, ...about });
      },
      select: (selection) => set({ selection }),
      stop() {
        preparation.abort();
        if (get().status === "starting") set({ ...before, compiling: null });
        current?.stop();
      },
      pause() {
        if (get().status !== "running") return;
        current?.pause();
        set({ status: "paused" });
      },
      resume() {
        if (get().status !== "paused") return;
        current?.resume();
        set({ status: "running" });
      },
      stepOnce() {
        if (get().status === "running") get().pause();
        current?.stepOnce();
      },
    };
  });
}

const elsewhere: ShownRun = { modIds: [], recorded: true, interrupted: false };

/** Whether the run ended because the user stopped it, which is no failure. */
function isAbort(cause: unknown): boolean {
  return cause instanceof DOMException && cause.name === "AbortError";
}

/** Gathers records and delivers them once per frame, so that React does not render for every token of a fast model. */
function batch(frame: NextFrame, deliver: (records: readonly TraceRecord[]) => void) {
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
