/**
 * The run that the page shows: its state and its trace, whether the run is made here or was recorded elsewhere. A preparation
 * is the time from `begin` to `run` or `fail`, in which the caller loads the model and compiles the mods.
 *
 * Example: the page is "empty". The user presses Run: `begin` → "starting", `run` → "running", a first record → version 1 at
 * the next frame, the end → "finished". The user presses Run again: `begin` → "starting", and the first trace stays on the
 * page until `run` replaces it with an empty trace. But no model can be loaded: `fail("No model.")` → "finished" with the first
 * trace; `startFailure` is "No model.".
 *
 * Rules:
 * - `begin` stops the run in progress and aborts an earlier preparation. `run` stops nothing: callers call `begin` first.
 * - If a preparation fails or is stopped, or a run ends without a record, the state before (`stateBefore`) is shown again.
 *   If that was a run in progress, which `begin` has stopped, its end is shown.
 * - `show` and the first `showPart` of a trace end the preparation and the run in progress, and replace the shown run.
 * - `restore` only fills an empty page. During a preparation that began on an empty page, it changes the state to return to.
 * - `begin`, `run` and `show` end the reading of a recorded run.
 * - A run changes the page only while its own trace is shown. `started` is the run that was started last, shown or not.
 */
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
  togglePlayback,
  whyNotPlayed,
} from "../../../view/timeline/playback/playback.ts";
import { createUpdateScheduler, type ScheduleUpdate } from "../../../view/ui/next-frame.ts";
import { newId } from "./new-id.ts";
import type { RunReadingProgress } from "./reading-run.ts";
import { batchRecords, createRunInProgress, isAbort, type RunInProgress } from "./run-in-progress.ts";
import {
  createImportedRunFields,
  importedRunFields,
  noRun,
  type ShownRun,
  shownRunFieldsOf,
} from "./shown-run.ts";

/** "reading": the beginning of a recorded run is shown, and the rest of it is read and checked. */
export type RunStatus = "empty" | "starting" | "running" | "paused" | "reading" | "finished" | "failed";

export interface RunLayersOpening {
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
  /** Name of the mod whose compilation the announced run waits for; null if the run does not wait, or not for long yet. */
  readonly compiling: string | null;
  readonly selection: Selection | null;
  /** Why and where the run is paused; null while the run is in progress, also on its way to the next pause. */
  readonly pausedAt: Pause | null;
  /** The progress while the model's layers are opened for the run's mods; otherwise null. */
  readonly opening: RunLayersOpening | null;
  /** While the mods of a branch catch up with the events before the branch: the share that is done, from 0 to 1. */
  readonly caughtUp: number | null;
  /** The playback of the shown run; null while the whole run is shown. Without meaning once another run is shown. */
  readonly playback: Playback | null;
  /** Why the run with this trace cannot be played although the user asked for it. */
  readonly playRefusal: { readonly trace: TraceModel; readonly words: string } | null;
  readonly reading: RunReadingProgress | null;
  /** The trace file of the shown run, which is saved unchanged. Null if the run has no file or the file is saved already. */
  readonly file: Uint8Array<ArrayBuffer> | null;
  /** The run that was started last, whether or not it is shown or still in progress. */
  readonly started: RunInProgress | null;
  /** The saved run whose prompt, mods and settings were put into the editor: the next run is its child. */
  readonly forkedFrom: string | null;
  setForkedFrom(id: string | null): void;
  /** Marks the shown run as saved, if the shown run still has this id. */
  setSaved(id: string, saved: ShownRun["saved"]): void;
  /** Announces a run that is being prepared. The signal is aborted when the user stops the run, or shows or begins another. */
  begin(): AbortSignal;
  setCompiling(name: string | null): void;
  /** Reports that the run which `begin` announced could not be prepared. */
  fail(message: string): void;
  forgetStartFailure(): void;
  /** `from`: id of the saved run that the new run comes from. Default: the run that was put into the editor. */
  run(request: RunRequest, modIds: readonly string[], from?: string): void;
  /** Shows a recorded run without running anything. Unless `about` says otherwise, the run is a new import. */
  show(trace: TraceModel, about?: ShownRun): void;
  /** Marks that a recorded run is being read; nothing else changes. */
  setReading(reading: RunReadingProgress | null): void;
  /** Shows the part of a run that was read so far. Further calls say that the part has grown. */
  showPart(trace: TraceModel, about: ShownRun): void;
  /** Marks the run that `showPart` shows as completely read. */
  endPart(file: Uint8Array<ArrayBuffer> | null): void;
  /** Ends the reading of a recorded run, and removes the part that `showPart` shows. */
  leave(): void;
  /** Shows the run that the tab showed last, unless another run is shown already. A message that a run could not start stays. */
  restore(trace: TraceModel, about: ShownRun): void;
  select(selection: Selection | null): void;
  stop(): void;
  pause(): void;
  resume(): void;
  stepOnce(): void;
  stepEvent(): void;
  /** Plays the shown run from the selected token on, or halts the current playback. Returns whether the run can be played. */
  play(): boolean;
  /** Changes the current playback, if there is one. */
  changePlayback(change: (now: Playback) => Playback | null): void;
  /** The breakpoints of this run and of all later runs. */
  setBreakpoints(breakpoints: readonly Breakpoint[]): void;
}

/** The fields that are empty when a run begins. */
const beforeAnyEvent = {
  failure: null,
  startFailure: null,
  selection: null,
  file: null,
  pausedAt: null,
  opening: null,
};

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share the state of the run in progress
export function createRunStore(
  session: Session | null,
  frame: ScheduleUpdate = createUpdateScheduler(),
): StoreApi<RunState> {
  let current: RunHandle | null = null;
  let breakpoints: readonly Breakpoint[] = [];
  let preparation = new AbortController();
  /** The state to restore if a run ends before its first record. */
  let stateBefore: Partial<RunState> = {};
  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: as above
  return createStore<RunState>()((set, get) => {
    const remember = (status: RunStatus) => {
      const { trace, version, failure, selection } = get();
      stateBefore = { status, trace, version, failure, selection, ...shownRunFieldsOf(get()) };
    };
    /** Remembers a run in progress as finished, because callers stop the run. */
    const rememberShownState = () => {
      const { status, trace } = get();
      // An earlier `begin` has remembered the state already.
      if (status === "starting") return;
      if (!current) remember(status);
      // A run without a record is not shown again.
      else if (trace.records.length > 0) remember("finished");
    };
    const followRun = (
      handle: RunHandle,
      trace: TraceModel,
      { flush, end }: { flush: () => void; end: (failure: string | null) => void },
    ) => {
      const onEnd = (failure: string | null) => {
        flush();
        end(failure);
        // Another run is shown by now.
        if (get().trace !== trace) return;
        set({ opening: null });
        if (get().status === "starting") {
          // `begin` stopped this run, whose last records came afterwards.
          if (trace.records.length > 0) remember("finished");
          return;
        }
        current = null;
        if (trace.records.length === 0) set({ ...stateBefore, startFailure: failure });
        else set({ status: failure === null ? "finished" : "failed", failure, pausedAt: null });
      };
      handle.done.then(
        () => onEnd(null),
        (cause: unknown) => onEnd(isAbort(cause) ? null : messageOf(cause)),
      );
    };
    const leaveReading = () => {
      const { reading, status } = get();
      if (!reading) return;
      reading.abandon();
      set({ reading: null });
      if (status === "reading") set({ status: "empty", trace: createTraceModel(), ...noRun });
    };
    /**
     * No signal is stored: the reason of an aborted signal holds the functions on the stack, and so the run that replaced this
     * one.
     */
    const endPreparation = () => {
      preparation.abort();
      preparation = new AbortController();
    };
    const step = (kind: "stepOnce" | "stepEvent") => {
      // A step of a run that is not paused first pauses the run.
      if (get().status === "running") get().pause();
      if (get().status !== "paused") return;
      current?.[kind]();
      set({ pausedAt: null });
    };
    const replaceShownRun = (status: "finished" | "reading", trace: TraceModel, about: ShownRun) => {
      endPreparation();
      current?.stop();
      current = null;
      set({ status, trace, version: trace.version, ...beforeAnyEvent, ...about });
    };
    return {
      status: "empty",
      trace: createTraceModel(),
      ...beforeAnyEvent,
      compiling: null,
      reading: null,
      started: null,
      caughtUp: null,
      playback: null,
      playRefusal: null,
      forkedFrom: null,
      ...noRun,
      setForkedFrom: (forkedFrom) => set({ forkedFrom }),
      setSaved: (id, saved) => set((state) => (state.id === id ? { saved, file: null } : state)),
      begin() {
        leaveReading();
        rememberShownState();
        current?.stop();
        current = null;
        endPreparation();
        set({ status: "starting", startFailure: null, compiling: null, pausedAt: null });
        return preparation.signal;
      },
      setCompiling: (compiling) => set({ compiling }),
      fail: (startFailure) => set({ ...stateBefore, startFailure }),
      forgetStartFailure: () =>
        set((state) => (state.startFailure === null ? state : { startFailure: null })),
      run(request, modIds, from) {
        if (!session) throw new Error("Open the playground to run this.");
        leaveReading();
        rememberShownState();
        const trace = createTraceModel();
        const about: ShownRun = {
          ...importedRunFields,
          id: newId(),
          modIds,
          from: from ?? get().forkedFrom,
          recorded: false,
        };
        const { run: started, notify, end } = createRunInProgress(trace, about);
        set({
          status: "running",
          trace,
          version: 0,
          caughtUp: null,
          ...beforeAnyEvent,
          ...about,
          started,
          ...(from === undefined && { forkedFrom: null }),
        });
        const { take, flush } = batchRecords(frame, (records) => {
          trace.append(records);
          notify();
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
        followRun(current, trace, { flush, end });
      },
      show(trace, about = createImportedRunFields()) {
        leaveReading();
        replaceShownRun("finished", trace, about);
      },
      setReading: (reading) => set({ reading }),
      showPart(trace, about) {
        if (get().status === "reading" && get().trace === trace) set({ version: trace.version });
        else replaceShownRun("reading", trace, about);
      },
      endPart: (file) =>
        set(({ trace }) => ({ status: "finished", version: trace.version, reading: null, file })),
      leave: leaveReading,
      restore(trace, about) {
        const restored = { status: "finished", trace, version: trace.version, ...about } as const;
        if (get().status === "empty") set(restored);
        // If the run that is being prepared does not start, the page shows this run again.
        else if (get().status === "starting" && stateBefore.status === "empty")
          stateBefore = { ...stateBefore, ...restored };
      },
      select: (selection) => set({ selection }),
      stop() {
        endPreparation();
        if (get().status === "starting") set({ ...stateBefore, compiling: null });
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
        const playback = playing ? togglePlayback(playing) : openPlayback(trace, selection?.cursor ?? null);
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

/** The playback of the shown run; null while the whole run is shown. */
export function playbackOf({ playback, trace, status }: RunState): Playback | null {
  const isOver = status === "finished" || status === "failed";
  return isOver && playback?.trace === trace ? playback : null;
}
