/** The run on the page: its state and its trace, whether it runs here or was recorded elsewhere. */
import { createStore, type StoreApi } from "zustand/vanilla";
import { messageOf } from "../../base/message-of.ts";
import type { RunHandle, Session } from "../../session/client.ts";
import type { RunRequest } from "../../session/protocol.ts";
import type { TraceRecord } from "../../trace/format.ts";
import { createTraceModel, type TraceModel } from "../../trace/trace-model.ts";

export type RunStatus = "empty" | "starting" | "running" | "paused" | "finished" | "failed";

export interface RunState {
  readonly status: RunStatus;
  /** Grows in place: compare `version`, not the model. */
  readonly trace: TraceModel;
  readonly version: number;
  /** Why the run could not start or was cut off. */
  readonly failure: string | null;
  /** Index of the token that is looked at. */
  readonly selected: number | null;
  /** Ids of the user's mods, in the order of the trace's mods; empty for a recorded run. */
  readonly modIds: readonly string[];
  /** It came from a link or a file, and was not run here. */
  readonly recorded: boolean;
  begin(): void;
  fail(message: string): void;
  run(request: RunRequest, modIds: readonly string[]): void;
  /** Shows a recorded run; nothing is run. `modIds`: those of the user's mods, where it was run here before. */
  show(trace: TraceModel, modIds?: readonly string[]): void;
  select(index: number | null): void;
  stop(): void;
  pause(): void;
  resume(): void;
  stepOnce(): void;
}

/** Calls `deliver` at the next frame, or soon after where the page is hidden and has no frames. */
export type NextFrame = (deliver: () => void) => void;

export const nextFrame: NextFrame = (deliver) => {
  if (document.hidden) setTimeout(deliver, 100);
  else requestAnimationFrame(deliver);
};

export function createRunStore(session: Session | null, frame: NextFrame = nextFrame): StoreApi<RunState> {
  let current: RunHandle | null = null;
  return createStore<RunState>()((set, get) => {
    const follow = (handle: RunHandle, trace: TraceModel, flush: () => void) => {
      const over = (failure: string | null) => {
        flush();
        if (get().trace !== trace) return;
        current = null;
        const nothing = failure === null && trace.records.length === 0;
        set({ status: nothing ? "empty" : failure === null ? "finished" : "failed", failure });
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
      selected: null,
      modIds: [],
      recorded: false,
      begin() {
        current?.stop();
        current = null;
        set({ status: "starting", failure: null, selected: null, trace: createTraceModel(), version: 0 });
      },
      fail: (failure) => set({ status: "failed", failure }),
      run(request, modIds) {
        if (!session) throw new Error("There is no engine behind this view: open the playground to run.");
        const trace = createTraceModel();
        set({ status: "running", trace, version: 0, failure: null, selected: null, modIds, recorded: false });
        const { take, flush } = batch(frame, (records) => {
          trace.append(records);
          if (get().trace === trace) set({ version: trace.version });
        });
        current = session.run(request, take);
        follow(current, trace, flush);
      },
      show(trace, modIds) {
        current?.stop();
        current = null;
        const recorded = modIds === undefined;
        set({
          status: "finished",
          trace,
          version: trace.version,
          failure: null,
          selected: null,
          modIds: modIds ?? [],
          recorded,
        });
      },
      select: (selected) => set({ selected }),
      stop() {
        if (get().status === "starting") set({ status: "empty" });
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

/** The user stopped it: no failure. */
function isAbort(cause: unknown): boolean {
  return cause instanceof DOMException && cause.name === "AbortError";
}

/** Gathers records and delivers them once per frame: a fast model must not make React work per token. */
export function batch(frame: NextFrame, deliver: (records: readonly TraceRecord[]) => void) {
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
