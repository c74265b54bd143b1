/** Shows a kept run as the run of the page: what the list has of it, and its trace. */

import { messageOf } from "../../base/message-of.ts";
import type { OpenedRun } from "../../runs/repository.ts";
import { decodeTraceFile } from "../../trace/codec.ts";
import { createTraceModel, type TraceModel } from "../../trace/trace-model.ts";
import type { ShownRun } from "./run-store.ts";
import type { Stores } from "./stores.ts";

/** @throws TraceError when the trace is of a newer Midtoken. */
export function readKeptRun({ facts, bytes, isListed }: OpenedRun): { trace: TraceModel; about: ShownRun } {
  const { trace, notes } = decodeTraceFile(bytes);
  const model = createTraceModel(notes);
  model.append(trace.records);
  const { id, modIds, from, recorded, interrupted } = facts;
  const kept = isListed ? "listed" : "visiting";
  return { trace: model, about: { id, modIds, from, recorded, interrupted, kept } };
}

/**
 * Opens a run of the list, and answers whether it could; if not, a notice says why. A run that goes on is stopped, and kept
 * as far as it had come.
 */
export async function openKeptRun({ runs, run, notices }: Stores, id: string): Promise<boolean> {
  try {
    const opened = await runs.open(id);
    if (!opened) throw new Error("It was deleted, perhaps in another tab.");
    const { trace, about } = readKeptRun(opened);
    run.getState().show(trace, about);
    return true;
  } catch (cause) {
    notices.getState().show(`The run could not be opened. ${messageOf(cause)}`);
    return false;
  }
}
