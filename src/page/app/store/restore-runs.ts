/**
 * Handles the saved runs when a page begins: shows the run that was shown last, and closes runs whose page was left
 * in their middle.
 */
import { messageOf } from "../../../core/base/message-of.ts";
import { TraceError, TraceVersionError } from "../../../core/trace/format/trace-error.ts";
import { runCodecLoaders } from "../../runs/run-codec.ts";
import { isAbandoned } from "../../runs/run-locks.ts";
import { readSavedRun } from "./open-run.ts";
import { asString, openStoredValue } from "./persist.ts";
import type { Stores } from "./stores.ts";

/** Where a tab remembers which run it shows. A new tab begins with the run of the tab that showed one last. */
export function storedShownRunId({ storages, trouble }: Stores) {
  return openStoredValue(storages, "midtoken.shown-run.v1", asString, trouble);
}

/** Milliseconds for which deleting a run can be undone at most. The notice with Undo ends with its page, so older deletions are final. */
const longestUndoMs = 600_000;

export async function handleSavedRunsAtStart(stores: Stores, locks: LockManager | undefined): Promise<void> {
  const { runs } = stores;
  const ownId = storedShownRunId(stores).load();
  if (ownId !== null) await showOwn(stores, ownId, locks);
  for (const id of await runs.growing()) {
    if (await isAbandoned(id, locks, { waits: false })) await closeAbandonedRun(stores, id);
  }
  if (stores.run.getState().status === "empty") {
    const [newest] = await runs.list();
    if (newest) await show(stores, newest.id);
  }
  const before = Date.now() - longestUndoMs;
  await Promise.all([runs.purge({ before }), runs.experiments.purge({ before })]);
}

/** Shows the tab's own run. If nobody can know whether the run is in progress in another tab, this tab closes it. */
async function showOwn(stores: Stores, id: string, locks: LockManager | undefined): Promise<void> {
  const isGrowing = (await stores.runs.growing()).includes(id);
  if (isGrowing && (await isAbandoned(id, locks, { waits: true })) !== false)
    await closeAbandonedRun(stores, id);
  await show(stores, id);
}

/** Joins the pieces of a run that was left in its middle. If they cannot be read, they stay and are reported. */
async function closeAbandonedRun(stores: Stores, id: string): Promise<void> {
  const { runs } = stores;
  try {
    const [{ runOfPieces }, { runToSave }] = await Promise.all([
      runCodecLoaders.joiner(),
      runCodecLoaders.writer(),
    ]);
    const joined = runOfPieces(id, await runs.pieces(id));
    if (joined) await runs.save(runToSave(joined.trace, joined.origin));
  } catch (cause) {
    // A run of a newer Midtoken is read when that version is open again.
    if (cause instanceof TraceVersionError) return;
    if (!(cause instanceof TraceError)) throw cause;
    const { reportUnreadableLeftover } = await import("./report-damaged-runs.ts");
    reportUnreadableLeftover(stores, id, messageOf(cause));
  }
}

async function show({ runs, run, notices }: Stores, id: string): Promise<void> {
  // Fetched while the database reads. `readSavedRun` reports a failure.
  runCodecLoaders.reader().catch(() => {});
  const opened = await runs.open(id);
  if (!opened || !["empty", "starting"].includes(run.getState().status)) return;
  try {
    const { trace, about } = await readSavedRun(opened);
    // Reading a long run takes seconds, in which the user may have begun another run.
    run.getState().restore(trace, about);
  } catch (cause) {
    notices.getState().fail(`The last run could not be opened: ${messageOf(cause)}`);
  }
}
