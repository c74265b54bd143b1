/** The run on the page: its state and its trace, whether it runs here or was recorded elsewhere. */
import { createStore, type StoreApi } from "zustand/vanilla";
import { messageOf } from "../../../core/base/message-of.ts";
import type { Selection } from "../../../core/trace/model/selection.ts";
import { createTraceModel, type TraceModel } from "../../../core/trace/model/trace-model.ts";
import type { LayersOpening } from "../../../runtime/session/page-side/layers.ts";
import type { RunHandle, Session } from "../../../runtime/session/page-side/session.ts";
import type { Breakpoint, Pause } from "../../../runtime/session/shared/breakpoint.ts";
import type { RunRequest } from "../../../runtime/session/shared/requests.ts";
import {
  openPlayback,
  type Playback,
  toggled,
  whyNotPlayed,
} from "../../../view/timeline/playback/playback.ts";
import { createNextFrame, type NextFrame } from "../../../view/ui/next-frame.ts";
import { batch, isAbort, type LiveRun, liveRun } from "./live-run.ts";
import { newId } from "./new-id.ts";
import type { ReadingRun } from "./reading-run.ts";
import { aboutOf, elsewhere, fromElsewhere, noRun, type ShownRun } from "./shown-run.ts";

/** "reading": the beginning of a recorded run is shown, and the rest of it is read and checked. */
export type RunStatus = "empty" | "starting" | "running" | "paused" | "reading" | "finished" | "failed";

export interface RunOpening {
  /** `performance.now()` when it began. */
  readonly startedMs: number;
  readonly progress: LayersOpening["progress"];
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
  /** Why and where the run is paused; null while it is not, or goes on to where it will be. */
  readonly pausedAt: Pause | null;
  /** While the model's layers are opened for the run's mods. */
  readonly opening: RunOpening | null;
  /** While the mods of a branch are told of what was before it: the share that they know, from 0 to 1. */
  readonly caughtUp: number | null;
  /** The playback of the shown run; null while all of it is shown, and of no meaning once another run is shown. */
  readonly playback: Playback | null;
  /** Why the run with this trace is not played though it was asked for. */
  readonly playRefusal: { readonly trace: TraceModel; readonly words: string } | null;
  readonly reading: ReadingRun | null;
  /** The trace file that the shown run was read from, to be kept as it is. Null if there is none, and once it is kept. */
  readonly file: Uint8Array<ArrayBuffer> | null;
  /** The run that was started last, whether or not it is shown and goes on. */
  readonly live: LiveRun | null;
  /** The kept run whose prompt, mods and settings were put into the editor; the next run comes from it. */
  readonly forkedFrom: string | null;
  setForkedFrom(id: string | null): void;
  /** Says that the shown run is kept now, if it still is the one with this id. */
  setKept(id: string, kept: ShownRun["kept"]): void;
  /** Says that a run is being prepared. The signal is aborted when the user stops it or shows or begins another. */
  begin(): AbortSignal;
  setCompiling(names: string | null): void;
  /** Says that the run which `begin` announced could not be prepared. */
  fail(message: string): void;
  forgetStartFailure(): void;
  /** `from`: id of the kept run that it comes from; the one that was put into the editor unless given. */
  run(request: RunRequest, modIds: readonly string[], from?: string): void;
  /** Shows a recorded run; nothing is run. It is a new one from elsewhere unless `about` says otherwise. */
  show(trace: TraceModel, about?: ShownRun): void;
  /** Says that a recorded run is being read; nothing else changes. */
  setReading(reading: ReadingRun | null): void;
  /** Shows what was read so far of the run that is being read; called again, that there is more of it. */
  showPart(trace: TraceModel, about: ShownRun): void;
  /** All of what `showPart` shows is read. */
  endPart(file: Uint8Array<ArrayBuffer> | null): void;
  /** Ends the reading of a recorded run, and takes away what `showPart` shows of it. */
  leave(): void;
  /** Shows the run that the page was left with, unless there is another one already. That a run could not start stays said. */
  restore(trace: TraceModel, about: ShownRun): void;
  select(selection: Selection | null): void;
  stop(): void;
  pause(): void;
  resume(): void;
  stepOnce(): void;
  stepEvent(): void;
  /** Plays the shown run from its selected token on, or halts the playback that there is; answers whether it can be played. */
  play(): boolean;
  /** Changes the playback, where there is one. */
  changePlayback(change: (now: Playback) => Playback | null): void;
  /** Where this run, and those that follow it, are to pause by themselves. */
  setBreakpoints(breakpoints: readonly Breakpoint[]): void;
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share the state of the run in progress
export function createRunStore(
  session: Session | null,
  frame: NextFrame = createNextFrame(),
): StoreApi<RunState> {
  let current: RunHandle | null = null;
  let breakpoints: readonly Breakpoint[] = [];
  let preparation = new AbortController();
  /** The state that comes back when a run ends before its first record. */
  let before: Partial<RunState> = {};
  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: as above
  return createStore<RunState>()((set, get) => {
    const remember = () => {
      const { status, trace, version, failure, selection } = get();
      if (status === "starting") return;
      before = { status, trace, version, failure, selection, ...aboutOf(get()) };
    };
    const follow = (
      handle: RunHandle,
      trace: TraceModel,
      { flush, end }: { flush: () => void; end: (failure: string | null) => void },
    ) => {
      const over = (failure: string | null) => {
        flush();
        end(failure);
        if (get().trace !== trace) return;
        current = null;
        set({ opening: null });
        if (trace.records.length === 0) set({ ...before, startFailure: failure });
        else set({ status: failure === null ? "finished" : "failed", failure, pausedAt: null });
      };
      handle.done.then(
        () => over(null),
        (cause: unknown) => over(isAbort(cause) ? null : messageOf(cause)),
      );
    };
    const leave = () => {
      const { reading, status } = get();
      if (!reading) return;
      reading.abandon();
      set({ reading: null });
      if (status === "reading") set({ status: "empty", trace: createTraceModel(), ...noRun });
    };
    /** The reason of an aborted signal holds the functions on the stack, and with them the run that took the place: no signal is kept. */
    const endPreparation = () => {
      preparation.abort();
      preparation = new AbortController();
    };
    const step = (kind: "stepOnce" | "stepEvent") => {
      if (get().status === "running") get().pause();
      if (get().status !== "paused") return;
      current?.[kind]();
      set({ pausedAt: null });
    };
    const replace = (status: "finished" | "reading", trace: TraceModel, about: ShownRun) => {
      endPreparation();
      current?.stop();
      current = null;
      const nothing = { failure: null, startFailure: null, selection: null, file: null };
      set({ status, trace, version: trace.version, pausedAt: null, opening: null, ...nothing, ...about });
    };
    return {
      status: "empty",
      trace: createTraceModel(),
      failure: null,
      startFailure: null,
      compiling: null,
      reading: null,
      file: null,
      live: null,
      pausedAt: null,
      opening: null,
      caughtUp: null,
      playback: null,
      playRefusal: null,
      forkedFrom: null,
      ...noRun,
      setForkedFrom: (forkedFrom) => set({ forkedFrom }),
      setKept: (id, kept) => set((state) => (state.id === id ? { kept, file: null } : state)),
      begin() {
        current?.stop();
        current = null;
        leave();
        remember();
        endPreparation();
        set({ status: "starting", startFailure: null, compiling: null });
        return preparation.signal;
      },
      setCompiling: (compiling) => set({ compiling }),
      fail: (startFailure) => set({ ...before, startFailure }),
      forgetStartFailure: () =>
        set((state) => (state.startFailure === null ? state : { startFailure: null })),
      run(request, modIds, from) {
        if (!session) throw new Error("Open the playground to run.");
        leave();
        remember();
        const trace = createTraceModel();
        const nothing = {
          version: 0,
          failure: null,
          startFailure: null,
          selection: null,
          file: null,
          pausedAt: null,
          opening: null,
          caughtUp: null,
        };
        const about: ShownRun = {
          ...elsewhere,
          id: newId(),
          modIds,
          from: from ?? get().forkedFrom,
          recorded: false,
        };
        const { live, grown, end } = liveRun(trace, about);
        set({
          status: "running",
          trace,
          ...nothing,
          ...about,
          live,
          ...(from === undefined && { forkedFrom: null }),
        });
        const { take, flush } = batch(frame, (records) => {
          trace.append(records);
          grown();
          if (get().trace === trace) set({ version: trace.version, caughtUp: null });
        });
        const onCaughtUp = (caughtUp: number) => {
          if (get().trace === trace) set({ caughtUp });
        };
        const onOpening = (opening: LayersOpening | null) => {
          if (get().trace !== trace) return;
          const startedMs = get().opening?.startedMs ?? performance.now();
          set({ opening: opening && { startedMs, progress: opening.progress } });
        };
        const onPaused = (pausedAt: Pause) => {
          flush();
          if (get().trace === trace) set({ status: "paused", pausedAt });
        };
        current = session.run(request, take, { onPaused, onCaughtUp, onOpening });
        current.setBreakpoints(breakpoints);
        follow(current, trace, { flush, end });
      },
      show(trace, about = fromElsewhere()) {
        leave();
        replace("finished", trace, about);
      },
      setReading: (reading) => set({ reading }),
      showPart(trace, about) {
        if (get().status === "reading" && get().trace === trace) set({ version: trace.version });
        else replace("reading", trace, about);
      },
      endPart: (file) =>
        set(({ trace }) => ({ status: "finished", version: trace.version, reading: null, file })),
      leave,
      restore(trace, about) {
        const restored = { status: "finished", trace, version: trace.version, ...about } as const;
        if (get().status === "empty") set(restored);
        // The run that is being prepared may not start: this one comes back then.
        else if (get().status === "starting" && before.status === "empty")
          before = { ...before, ...restored };
      },
      select: (selection) => set({ selection }),
      stop() {
        endPreparation();
        if (get().status === "starting") set({ ...before, compiling: null });
        get().reading?.stop();
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
        set({ status: "running", pausedAt: null });
      },
      stepOnce: () => step("stepOnce"),
      stepEvent: () => step("stepEvent"),
      play() {
        const { status, trace, selection } = get();
        if (status !== "finished" && status !== "failed") return false;
        const playing = playbackOf(get());
        const playback = playing ? toggled(playing) : openPlayback(trace, selection?.cursor ?? null);
        const playRefusal = playback === null ? { trace, words: whyNotPlayed(trace) } : null;
        set({ playback, playRefusal });
        return playback !== null;
      },
      changePlayback(change) {
        const playback = playbackOf(get());
        if (playback) set({ playback: change(playback) });
      },
      setBreakpoints(next) {
        breakpoints = next;
        current?.setBreakpoints(next);
      },
    };
  });
}

/** The playback of the run that is shown; null while all of it is shown. */
export function playbackOf({ playback, trace, status }: RunState): Playback | null {
  const isOver = status === "finished" || status === "failed";
  return isOver && playback?.trace === trace ? playback : null;
}
