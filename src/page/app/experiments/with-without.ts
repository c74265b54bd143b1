/** “Try without mods”: the same prompt, settings and seeds, once with mods and once without. Its code is loaded on demand. */
import { importProgramPart } from "../../../core/base/import-part.ts";
import { runWithFailureNotice } from "../history/run-with-notice.ts";
import type { FeaturePaneId, PageActions } from "../page-actions.ts";
import type { Stores } from "../store/stores.ts";

type Actions = typeof import("./experiment-actions.ts");

export const experimentsPane = "experiments" as FeaturePaneId;

/** Shows the experiments, then starts one. */
function startWithNotice(
  stores: Stores,
  page: PageActions,
  start: (actions: Actions) => Promise<void>,
): Promise<void> {
  page.show(experimentsPane);
  return runWithFailureNotice(stores, async () =>
    start(
      await importProgramPart("The experiment", () => import("./experiment-actions.ts"), "startExperiment"),
    ),
  );
}

/** Runs the request of the shown run again, with and without its mods. */
export function repeatWithAndWithoutMods(stores: Stores, page: PageActions, seeds: number): void {
  void startWithNotice(stores, page, (actions) => actions.repeatWithAndWithoutMods(stores, seeds));
}

/** Runs the prompt with and without a mod of the editor. */
export function startWithAndWithoutMod(stores: Stores, page: PageActions, mod: string, seeds: number): void {
  void startWithNotice(stores, page, (actions) => actions.startWithAndWithoutMod(stores, mod, seeds));
}
