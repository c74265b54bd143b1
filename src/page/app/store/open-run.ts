/** Shows a saved run as the run of the page, with its entry of the list and its trace. */

import { runInSlices } from "../../../core/base/in-slices.ts";
import { messageOf } from "../../../core/base/message-of.ts";
import { formatBytes } from "../../../core/base/number-text.ts";
import type { TraceOpening } from "../../../core/trace/file/opening-model.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import type { OpenedRun } from "../../runs/repository.ts";
import { runCodecLoaders } from "../../runs/run-codec.ts";
import { readAndShowRun } from "./read-run.ts";
import { type ShownRun, shownRunFieldsOf } from "./shown-run.ts";
import type { Stores } from "./stores.ts";

/** Reads the whole trace in slices of the page's time. @throws TraceError if the trace is damaged or from a newer Midtoken. */
export async function readSavedRun(opened: OpenedRun): Promise<{ trace: TraceModel; about: ShownRun }> {
  const { startOpeningFile } = await runCodecLoaders.reader();
  return { trace: await runInSlices(startOpeningFile(opened.bytes).steps), about: shownFieldsOf(opened) };
}

function shownFieldsOf({ metadata, isListed }: OpenedRun): ShownRun {
  const { id, modIds, from, recorded, interrupted } = metadata;
  return { id, modIds, from, recorded, interrupted, saved: isListed ? "listed" : "imported" };
}

/**
 * Shows the run while it is read, and returns whether all of it was read. @throws TraceError if the trace is damaged or from a
 * newer Midtoken.
 */
async function showSavedRun(stores: Stores, opened: OpenedRun, opening: TraceOpening): Promise<boolean> {
  const back = await readAndShowRun(stores, opening, {
    what: `Reading the run (${formatBytes(opened.bytes.length)})`,
    about: shownFieldsOf(opened),
    file: null,
    wayBack: () => createPreviousRunRestorer(stores),
  });
  return back !== undefined;
}

/** The saved run that was requested last, by the store of the page's run, until the whole run or another one is shown. */
const lastRequest = new WeakMap<Stores["run"], { readonly id: string }>();

/**
 * Opens a run of the list and returns whether that worked; if not, a notice says why. A run in progress is stopped and saved as far
 * as it came. If the user opens or begins another run while the database still reads, that other run is shown.
 */
export async function openSavedRun(stores: Stores, id: string): Promise<boolean> {
  const { run, runs, notices } = stores;
  const ownRequest = { id };
  lastRequest.set(run, ownRequest);
  const { reading, trace, status } = run.getState();
  try {
    const [opened, { startOpeningFile }] = await Promise.all([runs.open(id), runCodecLoaders.reader()]);
    const now = run.getState();
    const isWanted = lastRequest.get(run) === ownRequest && now.reading === reading && now.trace === trace;
    // A run that began meanwhile has no trace before its first record.
    if (!isWanted || (now.status === "starting" && status !== "starting")) return false;
    if (!opened) throw new Error("The run was deleted, perhaps in another tab.");
    return await showSavedRun(stores, opened, startOpeningFile(opened.bytes));
  } catch (cause) {
    notices.getState().fail(`The run could not be opened. ${messageOf(cause)}`);
    return false;
  } finally {
    if (lastRequest.get(run) === ownRequest) lastRequest.delete(run);
  }
}

/**
 * Returns a function that shows the present run again. A saved run is read again, so that two of the longest runs are never in
 * memory at once. If no run is shown yet, the function opens the saved run that was requested last; null if none was. The
 * functions for saved and for other runs stand apart, so that neither holds the other's data.
 */
export function createPreviousRunRestorer(stores: Stores): (() => void) | null {
  const { saved, id, trace, status } = stores.run.getState();
  if (trace.records.length === 0 || status === "reading") {
    const next = lastRequest.get(stores.run)?.id;
    return next === undefined ? null : () => void openSavedRun(stores, next);
  }
  return saved === "no" ? showAgain(stores) : () => void openSavedRun(stores, id);
}

function showAgain({ run }: Stores): () => void {
  const shown = run.getState();
  const trace = shown.trace;
  const about = shownRunFieldsOf(shown);
  return () => run.getState().show(trace, about);
}
