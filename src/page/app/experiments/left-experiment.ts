/** Remembers, for a tab, that an experiment's runs are made: a page that was left in their middle says so when it comes back. */
import type { Stores } from "../store/stores.ts";

const key = "midtoken.running-experiment.v1";

type TabStores = Pick<Stores, "storages">;

/** `id`: null once its runs are made, or stopped. */
export function rememberRunning({ storages }: TabStores, id: string | null): void {
  try {
    if (id === null) storages.tab.removeItem(key);
    else storages.tab.setItem(key, id);
  } catch {
    // A tab that may keep nothing does not say it; the experiment itself says how far it is.
  }
}

/** Says that an experiment stopped when the page was left; it goes on when the user says so. */
export async function tellOfLeftExperiment(
  stores: Pick<Stores, "storages" | "notices" | "runs">,
  openExperiments: () => void,
): Promise<void> {
  const id = stores.storages.tab.getItem(key);
  if (id === null) return;
  rememberRunning(stores, null);
  const kept = await stores.runs.experiments.find(id).catch(() => null);
  if (!kept) return;
  const text = `${kept.experiment.name} stopped when the page was left. The runs made so far are saved, and the experiment continues from there.`;
  stores.notices.getState().show(text, { label: "Open the experiments", run: openExperiments });
}
