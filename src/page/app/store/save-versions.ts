/** Saves each source of the user's mods that ran, so that the user can restore it after an edit. */
import { findStoredModIds } from "./mod-library.ts";
import { sayNotSaved } from "./saving-store.ts";
import type { Stores } from "./stores.ts";

/** Watches until the returned function is called. */
export function startSavingModVersions(stores: Stores): () => void {
  const { run, runs, mods, storages } = stores;
  const failed = (cause: unknown) => sayNotSaved(stores, cause);
  // A mod with a damaged entry is in no list, but its versions stay.
  const here = [...findStoredModIds(storages.browser), ...mods.getState().mods.map(({ id }) => id)];
  runs.versions.purge(new Set(here)).catch(failed);
  return run.subscribe(({ started }, before) => {
    if (started === before.started || !started) return;
    const ran = mods.getState().mods.filter(({ id }) => started.modIds.includes(id));
    for (const { id, name, source } of ran)
      runs.versions.keep({ mod: id, name, source, when: Date.now() }).catch(failed);
  });
}
