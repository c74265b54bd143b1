/**
 * Saves every run of the page in the browser. During a run, its new records are written twice a second as a piece; at its end
 * the whole run replaces the pieces. A run that has only pieces was left before its end.
 *
 * Example: a run gets 40 records, and 20 more after 0.7 s: piece 0 has 40 records, piece 1 has 20. The run ends with 312
 * records: piece 2 gets the other 252 at once, and after 200 ms the whole run is put into the list and the pieces are deleted.
 * If storage is full by then, `saving` says so with `canRetry`. The user frees storage and presses Try again, which calls
 * `retry`: the whole run is written, and the message goes.
 *
 * Rules:
 * - `saveInOrder` writes pieces and whole runs, one after another, after the saved runs were read at the page's beginning.
 * - `saveAtOnce` writes imported runs, for example from a file: these wait for no other save.
 * - A failed piece is not retried: the run is written again from its first record when it ends or the user leaves the page.
 * - A failed whole or imported run stays in `retries`. One press of Try again retries all of them.
 * - A run keeps its lock until it is saved whole, so that no other tab takes the run for one that was left.
 */

import { runInSlices } from "../../../core/base/in-slices.ts";
import { messageOf } from "../../../core/base/message-of.ts";
import { formatBytes } from "../../../core/base/number-text.ts";
import { createTraceModel, type TraceModel } from "../../../core/trace/model/trace-model.ts";
import { withFinishedRecord } from "../../runs/close-interrupted.ts";
import { RunsOutdatedError } from "../../runs/connection.ts";
import { runCodecLoaders } from "../../runs/run-codec.ts";
import { lockRun } from "../../runs/run-locks.ts";
import type { RunPageMetadata } from "../../runs/run-metadata.ts";
import { lowStorageBytes, readStorageSpace } from "../../runs/storage-room.ts";
import { handleSavedRunsAtStart, storedShownRunId } from "./restore-runs.ts";
import type { RunInProgress } from "./run-in-progress.ts";
import { createRunPieceWriter, type RunPieceWriter } from "./run-pieces.ts";
import type { RunState } from "./run-store.ts";
import { sayNotSaved } from "./saving-store.ts";
import type { Stores } from "./stores.ts";

/** The parts of the page around it that the saving of runs needs. */
export interface RunSavingEnvironment {
  readonly locks: LockManager | undefined;
  /** Gets the events of a page that the user leaves. */
  readonly events: Pick<EventTarget, "addEventListener" | "removeEventListener">;
  /** Shows the list of runs. */
  readonly openHistory: () => void;
}

/** Shows the run that the tab showed last, and saves each run that is made or shown, until the returned function is called. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share the state of the runs that are being saved
export function startSavingRuns(
  stores: Stores,
  { locks, events, openHistory }: RunSavingEnvironment,
): () => void {
  const { run, runs, notices, saving } = stores;
  let lastSave: Promise<unknown> = Promise.resolve();
  /** Runs writes one after another, in the order of their requests. A failed write is reported. */
  const saveInOrder = (act: () => Promise<void>): Promise<void> => {
    const work = lastSave.then(act);
    lastSave = work.catch(reportNotSaved);
    return work;
  };
  /** Runs a write at once: a new page first reads its saved runs, and the user may leave the page meanwhile. */
  const saveAtOnce = async (act: () => Promise<void>): Promise<void> => {
    const work = act();
    work.catch(reportNotSaved);
    await work;
  };
  /** Ids of the runs of this page that are in the list of runs. */
  const listedIds = new Set<string>();
  /** Functions that try again, by the id of each run that could not be saved. */
  const retries = new Map<string, () => void>();
  const shownRunId = storedShownRunId(stores);
  const reportNotSaved = (cause: unknown) =>
    sayNotSaved(stores, cause, {
      canRetry: retries.size > 0,
      retry() {
        saving.setState({ failure: null, canRetry: false });
        for (const again of [...retries.values()]) again();
      },
    });
  /** `again` is called by Try again, and starts the same save once more. The message goes when no save is left to retry. */
  const saveWithRetry = (id: string, again: () => void, act: () => Promise<void>, start = saveInOrder) => {
    start(async () => {
      try {
        await act();
      } catch (cause) {
        retries.set(id, again);
        throw cause;
      }
      retries.delete(id);
      if (retries.size === 0) saving.setState({ failure: null, canRetry: false });
      await warnOfRoom();
    }).catch(() => {});
  };
  let following: { runInProgress: RunInProgress; pieces: RunPieceWriter; stop: () => void } | null = null;

  const savePieces = (runInProgress: RunInProgress) => {
    following?.stop();
    const release = lockRun(runInProgress.id, locks);
    const pieces = createRunPieceWriter(runInProgress, (number, piece) =>
      saveInOrder(async () => {
        await runs.addPiece(runInProgress.id, number, piece);
        if (number === 0) shownRunId.save(runInProgress.id);
      }),
    );
    const stop = runInProgress.watch(pieces.grown);
    following = { runInProgress, pieces, stop };
    void runInProgress.ended.then((failure) => {
      // The user may leave the page before the whole run is written, so the waiting records are written now.
      pieces.flush();
      stop();
      if (following?.runInProgress === runInProgress) following = null;
      if (runInProgress.trace.records.length === 0) release();
      // Encoding takes a moment, so the page first gets to show that the run has ended.
      else setTimeout(() => saveWholeRun(runInProgress, failure, release), 200);
    });
  };
  const saveWholeRun = (runInProgress: RunInProgress, failure: string | null, release: () => void) => {
    const { id, modIds, from } = runInProgress;
    const when = runInProgress.trace.request?.createdAt || Date.now();
    const origin = { id, when, modIds, from, recorded: false, interrupted: false };
    saveWithRetry(
      id,
      () => saveWholeRun(runInProgress, failure, release),
      async () => {
        const { runToSave } = await runCodecLoaders.writer();
        await runs.save(runToSave(wholeTrace(runInProgress.trace, failure), origin));
        listedIds.add(id);
        run.getState().setSaved(id, "listed");
        release();
      },
    );
  };
  const saveImportedRun = (trace: TraceModel, origin: RunPageMetadata, file: RunState["file"]) =>
    saveWithRetry(
      origin.id,
      () => saveImportedRun(trace, origin, file),
      async () => {
        // A run from a file is saved as that file: encoding a long run again takes seconds, in which the user may
        // leave the page.
        const { runToSaveFromFile, runToSaveInSteps } = await runCodecLoaders.writer();
        await runs.saveImportedRun(
          file ? runToSaveFromFile(trace, origin, file) : await runInSlices(runToSaveInSteps(trace, origin)),
        );
        run.getState().setSaved(origin.id, "imported");
      },
      saveAtOnce,
    );
  let isWarned = false;
  const warnOfRoom = async () => {
    const room = await readStorageSpace();
    if (!room || room.left >= lowStorageBytes || isWarned) return;
    isWarned = true;
    const text = `Only ${formatBytes(room.left)} of the browser’s storage is left. Delete runs that you no longer need.`;
    notices.getState().show(text, { label: "Open the history", run: openHistory });
  };

  /**
   * Id of the imported run that was saved last. The trace itself is not stored here: it may be very long, and another run is
   * shown soon.
   */
  let lastImportedId = "";
  const onChange = (state: RunState, before: RunState) => {
    // A run that was started is saved until its end, even if another run is shown meanwhile.
    if (state.started && state.started !== before.started) savePieces(state.started);
    if (state.status !== "finished" || state.trace.records.length === 0) return;
    if (state.saved !== "no") {
      if (state.id !== before.id || state.saved !== before.saved || state.status !== before.status)
        shownRunId.save(state.id);
    } else if (listedIds.has(state.id)) {
      run.getState().setSaved(state.id, "listed");
    } else if (state.recorded && state.id !== lastImportedId) {
      lastImportedId = state.id;
      const { id, modIds, from, recorded, interrupted } = state;
      const origin = { id, when: Date.now(), modIds, from, recorded, interrupted };
      // The save begins at once, because the user may leave the page at once; it runs in slices, so that the page can
      // show the run meanwhile.
      saveImportedRun(state.trace, origin, state.file);
    }
  };
  const stopRun = run.subscribe(onChange);
  const reportUnreadable = (cause: unknown) => {
    if (cause instanceof RunsOutdatedError || cause instanceof DOMException) reportNotSaved(cause);
    else notices.getState().fail(`The saved runs could not be read: ${messageOf(cause)}`);
  };
  lastSave = handleSavedRunsAtStart(stores, locks).catch(reportUnreadable);
  // A run that was shown before this function was called counts as a change.
  const first = run.getState();
  if (first.status === "finished" && first.trace.records.length > 0)
    onChange(first, { ...first, id: "", trace: createTraceModel() });
  const stopWatching = runs.watch((change) => {
    if (change.type === "damaged")
      import("./report-damaged-runs.ts")
        .then((part) => part.reportDamagedRuns(stores))
        .catch(reportUnreadable);
    if (change.type === "outdated") reportNotSaved(new RunsOutdatedError());
    if (change.type === "blocked")
      notices
        .getState()
        .show(
          "Another tab, with an older version of Midtoken, is using the saved runs. Close or reload that tab to see your runs.",
        );
  });
  const flushPieces = () => following?.pieces.flush();
  for (const name of ["pagehide", "visibilitychange"]) events.addEventListener(name, flushPieces);
  return () => {
    stopRun();
    stopWatching();
    following?.stop();
    for (const name of ["pagehide", "visibilitychange"]) events.removeEventListener(name, flushPieces);
  };
}

/** The trace to save. A run whose engine broke down has no last record, so a record that says what happened is added. */
function wholeTrace(trace: TraceModel, failure: string | null): TraceModel {
  if (trace.finished) return trace;
  const whole = createTraceModel(trace.leftOut);
  whole.append(withFinishedRecord(trace.records, failure));
  return whole;
}
