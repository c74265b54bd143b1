/** Reads the records of runs that an earlier version saved, once, to find the branch of each run for the branch tree. */

import { TraceError, TraceVersionError } from "../../../core/trace/format/trace-error.ts";
import { branchMetadataOf } from "../../runs/run-metadata.ts";
import { readSavedRun } from "./open-run.ts";
import type { Stores } from "./stores.ts";

export async function fillInMissingBranches({ runs }: Pick<Stores, "runs">): Promise<void> {
  for (const id of await runs.unread()) {
    try {
      const opened = await runs.open(id);
      await runs.learn(id, opened && branchMetadataOf((await readSavedRun(opened)).trace));
    } catch (cause) {
      if (!(cause instanceof TraceError)) throw cause;
      // A run of a newer Midtoken is read when that version is open again; a damaged run is never read.
      if (!(cause instanceof TraceVersionError)) await runs.learn(id, null);
    }
  }
}
