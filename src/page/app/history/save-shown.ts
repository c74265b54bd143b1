/** Saves the shown imported run in the list of runs. The saved run keeps the note that it was recorded elsewhere. */

import { runInSlices } from "../../../core/base/in-slices.ts";
import { createRunRepository } from "../../runs/repository.ts";
import { runToSaveInSteps } from "../../runs/run-to-save.ts";
import type { PageStores } from "../store/page-stores.ts";
import type { Stores } from "../store/stores.ts";
import { runWithFailureNotice } from "./run-with-notice.ts";

type Saving = Pick<Stores, "notices" | "runs" | "run">;

export const saveShownRun = ({ notices, runs, run }: Saving): Promise<void> =>
  runWithFailureNotice({ notices }, async () => {
    const { trace, id, modIds, from, recorded, interrupted, setSaved } = run.getState();
    const origin = { id, when: Date.now(), modIds, from, recorded, interrupted };
    await runs.save(await runInSlices(runToSaveInSteps(trace, origin)));
    setSaved(id, "listed");
    notices.getState().show("The run is in your history, marked as recorded elsewhere.");
  });

/** For a view that has no list of runs of its own. */
export async function saveRunFromLink(
  { notices }: Pick<PageStores, "notices">,
  run: Stores["run"],
): Promise<void> {
  const runs = createRunRepository();
  await saveShownRun({ notices, runs, run });
  runs.close();
}
