/** “With and without”: the same prompt, settings and seeds, once with mods and once without. Its code is loaded on demand. */
import { importProgramPart } from "../../../core/base/import-part.ts";
import { runWithFailureNotice } from "../history/run-with-notice.ts";
import type { Stores } from "../store/stores.ts";

type Actions = typeof import("./experiment-actions.ts");

export function runExperimentAction(
  stores: Stores,
  start: (actions: Actions, stores: Stores) => Promise<void>,
): Promise<void> {
  return runWithFailureNotice(stores, async () =>
    start(
      await importProgramPart("The experiment", () => import("./experiment-actions.ts"), "startExperiment"),
      stores,
    ),
  );
}
