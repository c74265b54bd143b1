/** Keeps each source of the user's mods that ran, so that it can be brought back after it was edited. */
import { messageOf } from "../../../core/base/message-of.ts";
import { RunsOutdatedError } from "../../runs/connection.ts";
import { storedModIds } from "./mod-library.ts";
import type { Stores } from "./stores.ts";

/** Watches until the returned function is called. */
export function saveVersions({ run, runs, mods, notices, storages }: Stores): () => void {
  let isReported = false;
  const failed = (cause: unknown) => {
    // That another tab has a newer Midtoken is said of the runs already.
    if (isReported || cause instanceof RunsOutdatedError) return;
    isReported = true;
    notices.getState().show(`Earlier versions of your mods are not saved. ${messageOf(cause)}`);
  };
  // A mod whose entry is damaged is in no list, and keeps its versions.
  const here = [...storedModIds(storages.browser), ...mods.getState().mods.map(({ id }) => id)];
  runs.versions.purge(new Set(here)).catch(failed);
  return run.subscribe(({ live }, before) => {
    if (live === before.live || !live) return;
    const ran = mods.getState().mods.filter(({ id }) => live.modIds.includes(id));
    for (const { id, name, source } of ran)
      runs.versions.keep({ mod: id, name, source, when: Date.now() }).catch(failed);
  });
}
