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
  save(version: ModVersion): Promise<void>;
  /** Saves the source of a mod that is being deleted, and the time. */
  saveDeleted(version: ModVersion): Promise<void>;
  /** The newest version of each deleted mod, the latest deletion first, at most 20. `here`: ids of the mods that are not deleted. */
  deleted(here: ReadonlySet<string>): Promise<readonly ModVersion[]>;
  /** Deletes all versions of a mod. */
  forget(mod: string): Promise<void>;
  /**
   * Deletes the versions of mods that were deleted more than 30 days ago. A mod counts as deleted from `saveDeleted`, or from the
   * first call whose `here` lacks the mod.
   */
  purge(here: ReadonlySet<string>, now?: number): Promise<void>;
}

const longestDeletedMs = 30 * 24 * 3_600_000;
const mostDeleted = 20;

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
    save: async (version) => save(await database(), version),
    async saveDeleted(version) {
      const connection = await database();
      await save(connection, version);
      const last = (await connection.getAllKeys("versions", versionsOf(version.mod))).at(-1);
      // The version may be known by an older name, or with another export.
      if (last) await connection.put("versions", { ...version, when: last[1] }, last);
      await connection.put("deletedMods", version.when, version.mod);
    },
    deleted: async (here) => listDeleted(await database(), here),
    async forget(mod) {
      const transaction = (await database()).transaction(["versions", "deletedMods"], "readwrite");
      await writeInTransaction(transaction, [
        () => transaction.objectStore("versions").delete(versionsOf(mod)),
        () => transaction.objectStore("deletedMods").delete(mod),
      ]);
    },
    purge: async (here, now = Date.now()) => purge(await database(), here, now),
  };
}

async function save(database: RunsDatabase, version: ModVersion): Promise<void> {
  const transaction = database.transaction("versions", "readwrite");
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
}

async function listDeleted(
  database: RunsDatabase,
  here: ReadonlySet<string>,
): Promise<readonly ModVersion[]> {
  const keys = await database.getAllKeys("versions");
  const newestKeys = new Map(keys.map((key) => [key[0], key]));
  const absent = [...newestKeys].filter(([mod]) => !here.has(mod));
  const found = await Promise.all(
    absent.map(async ([mod, key]) => ({
      version: parseVersionRow(await database.get("versions", key)),
      since: (await database.get("deletedMods", mod)) ?? key[1],
    })),
  );
  return found
    .sort((one, other) => other.since - one.since)
    .flatMap(({ version }) => version ?? [])
    .slice(0, mostDeleted);
}

async function purge(database: RunsDatabase, here: ReadonlySet<string>, now: number): Promise<void> {
  const transaction = database.transaction(["versions", "deletedMods"], "readwrite");
  const versions = transaction.objectStore("versions");
  const deletedMods = transaction.objectStore("deletedMods");
  const [keys, missing, since] = await Promise.all([
    versions.getAllKeys(),
    deletedMods.getAllKeys(),
    deletedMods.getAll(),
  ]);
  const deletedSince = new Map(missing.map((mod, place) => [mod, since[place] ?? now]));
  const absent = [...new Set(keys.map(([mod]) => mod))].filter((mod) => !here.has(mod));
  const old = new Set(absent.filter((mod) => (deletedSince.get(mod) ?? now) < now - longestDeletedMs));
  await writeInTransaction(transaction, [
    ...keys.map((key) => () => old.has(key[0]) && versions.delete(key)),
    ...missing.map((mod) => () => (here.has(mod) || old.has(mod)) && deletedMods.delete(mod)),
    ...absent.map((mod) => () => !deletedSince.has(mod) && deletedMods.put(now, mod)),
  ]);
}
