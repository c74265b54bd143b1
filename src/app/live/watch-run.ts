/** Watches a live run: finds who shares it, and shows what comes as a run that goes on. Runs nothing and keeps nothing. */
import { createStore, type StoreApi } from "zustand/vanilla";
import { framesOf } from "../../live/framing.ts";
import { LiveError } from "../../live/limits.ts";
import type { Line } from "../../live/line.ts";
import { greetingText } from "../../live/protocol.ts";
import { createWatching, type WatchSink } from "../../live/watching.ts";
import { closeInterrupted } from "../../runs/close-interrupted.ts";
import { TraceError } from "../../trace/trace-error.ts";
import { createTraceModel, type TraceModel } from "../../trace/trace-model.ts";
import { createNextFrame } from "../../ui/next-frame.ts";
import type { RunState } from "../store/run-store.ts";
import { fromElsewhere } from "../store/shown-run.ts";

/** How the watching stands. */
export type WatchState =
  | { readonly is: "looking" | "watching" }
  /** "stopped": whoever shared it stopped it. "full": as many watch as may. "lost": the other end is gone. */
  | { readonly is: "over"; readonly why: "stopped" | "full" | "lost" }
  | { readonly is: "failed"; readonly error: Error };

export interface WatchedRun {
  readonly state: StoreApi<WatchState>;
  /** Looks once more for who shares it. */
  again(): void;
  stop(): void;
}

interface WatchOptions {
  readonly room: string;
  /** Shows what comes. */
  readonly run: StoreApi<RunState>;
  /** @throws LiveError where nobody shares it. */
  readonly join: (room: string, signal: AbortSignal) => Promise<Line>;
  readonly frame?: ReturnType<typeof createNextFrame>;
}

export function watchRun({ room, run, join, frame = createNextFrame() }: WatchOptions): WatchedRun {
  const state = createStore<WatchState>(() => ({ is: "looking" }));
  let stop = new AbortController();
  const look = async () => {
    const { signal } = stop;
    const shown = createShownRun(run, frame);
    try {
      const line = await join(room, signal);
      signal.addEventListener("abort", () => line.close());
      const end = (next: WatchState) => {
        if (signal.aborted) return;
        line.close();
        shown.end(null, true);
        state.setState(next, true);
        stop.abort();
      };
      const take = createWatching({ ...shown, over: (why) => end({ is: "over", why }) });
      line.listen({
        frame(bytes) {
          if (signal.aborted) return;
          try {
            take(bytes);
          } catch (cause) {
            if (!(cause instanceof LiveError || cause instanceof TraceError)) throw cause;
            end({ is: "failed", error: cause });
          }
        },
        closed: () => end({ is: "over", why: "lost" }),
      });
      for (const each of framesOf(greetingText(room))) line.send(each);
      state.setState({ is: "watching" }, true);
    } catch (cause) {
      if (signal.aborted) return;
      state.setState(
        { is: "failed", error: cause instanceof Error ? cause : new Error(String(cause)) },
        true,
      );
    }
  };
  void look();
  return {
    state,
    again() {
      stop.abort();
      stop = new AbortController();
      state.setState({ is: "looking" }, true);
      void look();
    },
    stop: () => stop.abort(),
  };
}

/** What comes, in the store of the run that the page shows: the same as of a run that is made here. */
function createShownRun(
  run: StoreApi<RunState>,
  frame: ReturnType<typeof createNextFrame>,
): Omit<WatchSink, "over" | "ended"> & {
  ended(failure: string | null): void;
  /** `isInterrupted`: the run went on, and nothing more of it comes. */
  end(failure: string | null, isInterrupted: boolean): void;
} {
  let trace: TraceModel | null = null;
  let isWaiting = false;
  const isShown = () => trace !== null && run.getState().trace === trace;
  const show = () => {
    isWaiting = false;
    if (trace && isShown()) run.setState({ version: trace.version });
  };
  const end = (failure: string | null, isInterrupted: boolean) => {
    if (!trace || !isShown() || run.getState().status === "finished" || run.getState().status === "failed")
      return;
    if (trace.records.length > 0 && !trace.finished)
      trace.append(closeInterrupted(trace.records, failure).slice(trace.records.length));
    const status = failure === null ? "finished" : "failed";
    run.setState({ status, failure, interrupted: isInterrupted, version: trace.version });
  };
  return {
    run() {
      trace = createTraceModel();
      const nothing = {
        version: 0,
        failure: null,
        startFailure: null,
        selection: null,
        file: null,
        playback: null,
      };
      run.setState({ status: "running", trace, reading: null, ...nothing, ...fromElsewhere() });
    },
    records(records) {
      trace?.append(records);
      if (isWaiting) return;
      isWaiting = true;
      frame(show);
    },
    paused(isPaused) {
      const { status } = run.getState();
      if (isShown() && (status === "running" || status === "paused"))
        run.setState(
          isPaused
            ? {
                status: "paused",
                pausedAt: {
                  why: { type: "asked" },
                  records: trace?.records.length ?? 0,
                  isBetweenSteps: true,
                },
              }
            : { status: "running", pausedAt: null },
        );
    },
    ended: (failure) => end(failure, false),
    end,
  };
}
