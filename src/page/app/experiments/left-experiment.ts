/**
 * Remembers for a tab that it makes the runs of an experiment, so that a page that was left before their end says so when it is
 * opened again.
 */
import type { Stores } from "../store/stores.ts";

const key = "midtoken.running-experiment.v1";

type TabStores = Pick<Stores, "storages">;

/** `id`: null once all runs are made or the experiment is stopped. */
export function rememberRunningExperiment({ storages }: TabStores, id: string | null): void {
  try {
    if (id === null) storages.tab.removeItem(key);
    else storages.tab.setItem(key, id);
  } catch {
    // Without storage the tab shows no message; the experiment itself shows its progress.
  }
}

/** Says that an experiment stopped when the page was left. The user can continue it. */
export async function tellOfInterruptedExperiment(
  stores: Pick<Stores, "storages" | "notices" | "runs">,
  openExperiments: () => void,
): Promise<void> {
  const id = stores.storages.tab.getItem(key);
  if (id === null) return;
  rememberRunningExperiment(stores, null);
  const saved = await stores.runs.experiments.find(id).catch(() => null);
  if (!saved) return;
  const text = `${saved.experiment.name} stopped when you left the page. The runs made so far are saved; you can continue the experiment.`;
  stores.notices.getState().show(text, { label: "Open the experiments", run: openExperiments });
}
