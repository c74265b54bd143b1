/** Earlier versions of the user's mods in the order of time: each source that ran or was replaced. */
import { parseVersionRow, readRows } from "./rows.ts";
import type { ModVersion, RunsDatabase } from "./schema.ts";
import { keysBeginningWith as versionsOf, writeInTransaction } from "./write.ts";

export type { ModVersion };

/** @throws RunsOutdatedError from every call, once another tab has a newer Midtoken. */
export interface ModVersionRepository {
  /** Newest first. */
  list(mod: string): Promise<readonly ModVersion[]>;
  /** Saves a version, unless the newest version of its mod has the same source. Only the newest 50 versions of a mod are kept. */
  keep(version: ModVersion): Promise<void>;
  /**
   * Deletes the versions of mods that were deleted so long ago that no Undo is offered any more. A mod counts as deleted from the
   * first call whose `here` lacks the mod: another tab may have deleted the mod a moment ago, and may restore it.
   */
  purge(here: ReadonlySet<string>, now?: number): Promise<void>;
}

/** A deleted mod can be restored as long as the notice about its deletion is shown, in whichever tab. */
const longestUndoMs = 600_000;

const mostVersions = 50;

export function createModVersionRepository(
  database: () => Promise<RunsDatabase>,
  onDamaged: () => void,
): ModVersionRepository {
  return {
    async list(mod) {
      const versions = await readRows(
        await database(),
        "versions",
        parseVersionRow,
        onDamaged,
        versionsOf(mod),
      );
      return versions.toReversed();
    },
    async keep(version) {
      const transaction = (await database()).transaction("versions", "readwrite");
      const { store } = transaction;
      const keys = await store.getAllKeys(versionsOf(version.mod));
      const last = keys.at(-1);
      const newest = last && parseVersionRow(await store.get(last));
      const isKnown = newest?.source === version.source;
      // Two versions may have the same millisecond, or the clock may be set back: versions stay in the order in which they were
      // saved.
      const when = Math.max(version.when, (last?.[1] ?? 0) + 1);
      const old = keys.slice(0, Math.max(0, keys.length + 1 - mostVersions));
      await writeInTransaction(transaction, [
        () => !isKnown && store.put({ ...version, when }, [version.mod, when]),
        ...old.map((key) => () => !isKnown && store.delete(key)),
      ]);
    },
    purge: async (here, now = Date.now()) => purge(await database(), here, now),
  };
}

async function purge(database: RunsDatabase, here: ReadonlySet<string>, now: number): Promise<void> {
  const transaction = database.transaction(["versions", "goneMods"], "readwrite");
  const versions = transaction.objectStore("versions");
  const goneMods = transaction.objectStore("goneMods");
  const [keys, missing, since] = await Promise.all([
    versions.getAllKeys(),
    goneMods.getAllKeys(),
    goneMods.getAll(),
  ]);
  const goneSince = new Map(missing.map((mod, place) => [mod, since[place] ?? now]));
  const absent = [...new Set(keys.map(([mod]) => mod))].filter((mod) => !here.has(mod));
  const old = new Set(absent.filter((mod) => (goneSince.get(mod) ?? now) < now - longestUndoMs));
  await writeInTransaction(transaction, [
    ...keys.map((key) => () => old.has(key[0]) && versions.delete(key)),
    ...missing.map((mod) => () => (here.has(mod) || old.has(mod)) && goneMods.delete(mod)),
    ...absent.map((mod) => () => !goneSince.has(mod) && goneMods.put(now, mod)),
  ]);
}
