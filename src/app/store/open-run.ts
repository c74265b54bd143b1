/** Shows a kept run as the run of the page: what the list has of it, and its trace. */

import { messageOf } from "../../base/message-of.ts";
import type { OpenedRun } from "../../runs/repository.ts";
import { decodingTraceFile } from "../../trace/codec.ts";
import { openingModel } from "../../trace/opening-model.ts";
import type { TraceModel } from "../../trace/trace-model.ts";
import { runInSlices } from "./in-slices.ts";
import { aboutOf, type ShownRun } from "./run-store.ts";
import type { Stores } from "./stores.ts";

/** In slices of the page's time. @throws TraceError when the trace is of a newer Midtoken. */
export async function readKeptRun({
  facts,
  bytes,
  isListed,
}: OpenedRun): Promise<{ trace: TraceModel; about: ShownRun }> {
  const trace = await runInSlices(openingModel(decodingTraceFile(bytes)));
  const { id, modIds, from, recorded, interrupted } = facts;
  const kept = isListed ? "listed" : "visiting";
  return { trace, about: { id, modIds, from, recorded, interrupted, kept } };
}

/**
 * Opens a run of the list, and answers whether it could; if not, a notice says why. A run that goes on is stopped, and kept
 * as far as it had come.
 */
export async function openKeptRun({ runs, run, notices }: Stores, id: string): Promise<boolean> {
  try {
    const opened = await runs.open(id);
    if (!opened) throw new Error("It was deleted, perhaps in another tab.");
    const { trace, about } = await readKeptRun(opened);
    run.getState().show(trace, about);
    return true;
  } catch (cause) {
    notices.getState().show(`The run could not be opened. ${messageOf(cause)}`);
    return false;
  }
}

/**
 * Leads back to the run that is shown now. A kept run is read again then, so that two of the longest are not in memory at
 * once; each way has a function of its own, which holds nothing of the other.
 */
export function wayBack(stores: Stores): () => void {
  const { kept, id } = stores.run.getState();
  return kept === "no" ? showAgain(stores) : () => void openKeptRun(stores, id);
}

function showAgain({ run }: Stores): () => void {
  const shown = run.getState();
  const [trace, about] = [shown.trace, aboutOf(shown)];
  return () => run.getState().show(trace, about);
}
