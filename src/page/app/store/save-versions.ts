/** Saves each source of the user's mods that ran or was deleted, so that the user can restore it. */
import type { ModVersion } from "../../runs/version-repository.ts";
import { findStoredModIds, type LibraryMod } from "./mod-library.ts";
import { sayNotSaved } from "./saving-store.ts";
import type { Stores } from "./stores.ts";

/** Watches until the returned function is called. */
export function startSavingModVersions(stores: Stores): () => void {
  const { run, runs, mods } = stores;
  const failed = (cause: unknown) => sayNotSaved(stores, cause);
  runs.versions.purge(presentModIds(stores)).catch(failed);
  const stopRuns = run.subscribe(({ started }, before) => {
    if (started === before.started || !started) return;
    for (const mod of mods.getState().mods)
      if (started.modIds.includes(mod.id)) runs.versions.save(versionOf(mod)).catch(failed);
  });
  const stopMods = mods.subscribe((state, before) => {
    if (state.mods === before.mods) return;
    const here = new Set(state.mods.map(({ id }) => id));
    for (const mod of before.mods)
      if (!here.has(mod.id)) runs.versions.saveDeleted(versionOf(mod)).catch(failed);
  });
  return () => {
    stopRuns();
    stopMods();
  };
}

/** Ids of the mods that are not deleted. A mod with a damaged entry is in no list, but it is still there. */
export function presentModIds({ mods, storages }: Pick<Stores, "mods" | "storages">): ReadonlySet<string> {
  return new Set([...findStoredModIds(storages.browser), ...mods.getState().mods.map(({ id }) => id)]);
}

function versionOf({ id, name, source, entry, needs }: LibraryMod): ModVersion {
  return {
    mod: id,
    name,
    source,
    when: Date.now(),
    ...(entry !== null && { entry }),
    ...(needs !== null && { needs }),
  };
}
