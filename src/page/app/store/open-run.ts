/** Shows a kept run as the run of the page: what the list has of it, and its trace. */

import { runInSlices } from "../../../core/base/in-slices.ts";
import { messageOf } from "../../../core/base/message-of.ts";
import { formatBytes } from "../../../core/base/number-text.ts";
import { openingFile } from "../../../core/trace/file/opening-model.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import type { OpenedRun } from "../../runs/repository.ts";
import { readRun } from "./read-run.ts";
import { aboutOf, type ShownRun } from "./shown-run.ts";
import type { Stores } from "./stores.ts";

/** All of it, in slices of the page's time. @throws TraceError when the trace is of a newer Midtoken. */
export async function readSavedRun(opened: OpenedRun): Promise<{ trace: TraceModel; about: ShownRun }> {
  return { trace: await runInSlices(openingFile(opened.bytes).steps), about: aboutKept(opened) };
}

function aboutKept({ facts, isListed }: OpenedRun): ShownRun {
  const { id, modIds, from, recorded, interrupted } = facts;
  return { id, modIds, from, recorded, interrupted, kept: isListed ? "listed" : "visiting" };
}

/**
 * Shows it while it is read, and answers whether all of it was. @throws TraceError when the trace is of a newer Midtoken.
 */
export async function showSavedRun(stores: Stores, opened: OpenedRun): Promise<boolean> {
  const back = await readRun(stores, openingFile(opened.bytes), {
    what: `Reading the run (${formatBytes(opened.bytes.length)})`,
    about: aboutKept(opened),
    file: null,
    wayBack: () => wayBack(stores),
  });
  return back !== undefined;
}

/** The kept run that was asked for last, by the store of the page's run, until all of it is shown or something else is. */
const asked = new WeakMap<Stores["run"], { readonly id: string }>();

/**
 * Opens a run of the list, and answers whether it could; if not, a notice says why. A run that goes on is stopped, and kept
 * as far as it had come. Whoever opens or begins another one meanwhile, which the database may leave much time for, sees that.
 */
export async function openSavedRun(stores: Stores, id: string): Promise<boolean> {
  const { run, runs, notices } = stores;
  const own = { id };
  asked.set(run, own);
  const { reading, trace, status } = run.getState();
  try {
    const opened = await runs.open(id);
    const now = run.getState();
    const isWanted = asked.get(run) === own && now.reading === reading && now.trace === trace;
    // One that began meanwhile has no trace of its own before it runs.
    if (!isWanted || (now.status === "starting" && status !== "starting")) return false;
    if (!opened) throw new Error("The run was deleted, perhaps in another tab.");
    return await showSavedRun(stores, opened);
  } catch (cause) {
    notices.getState().show(`The run could not be opened. ${messageOf(cause)}`);
    return false;
  } finally {
    if (asked.get(run) === own) asked.delete(run);
  }
}

/**
 * Leads back to the run that is shown now, or that is about to be; null if there is none. A kept run is read again then, so
 * that two of the longest are not in memory at once; each way has a function of its own, which holds nothing of the other.
 */
export function wayBack(stores: Stores): (() => void) | null {
  const { kept, id, trace, status } = stores.run.getState();
  if (trace.records.length === 0 || status === "reading") {
    const next = asked.get(stores.run)?.id;
    return next === undefined ? null : () => void openSavedRun(stores, next);
  }
  return kept === "no" ? showAgain(stores) : () => void openSavedRun(stores, id);
}

function showAgain({ run }: Stores): () => void {
  const shown = run.getState();
  const [trace, about] = [shown.trace, aboutOf(shown)];
  return () => run.getState().show(trace, about);
}
