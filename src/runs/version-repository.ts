/** Earlier versions of the user's mods: each source that ran, or that was given up for another one, in the order of time. */
import type { ModVersion, RunsDatabase } from "./schema.ts";
import { piecesOf as versionsOf, write } from "./write.ts";

export type { ModVersion };

/** @throws RunsOutdatedError from every call, once another tab has a newer Midtoken. */
export interface VersionRepository {
  /** Newest first. */
  list(mod: string): Promise<readonly ModVersion[]>;
  /** Keeps a version, unless the newest one of its mod has the same source. Of those of a mod, the newest 50 are kept. */
  keep(version: ModVersion): Promise<void>;
  /** Removes the versions of all mods but these. */
  purge(others: ReadonlySet<string>): Promise<void>;
}

const mostVersions = 50;

export function createVersionRepository(database: () => Promise<RunsDatabase>): VersionRepository {
  return {
    async list(mod) {
      const versions = await (await database()).getAll("versions", versionsOf(mod));
      return versions.toReversed();
    },
    async keep(version) {
      const transaction = (await database()).transaction("versions", "readwrite");
      const { store } = transaction;
      const keys = await store.getAllKeys(versionsOf(version.mod));
      const last = keys.at(-1);
      const newest = last && (await store.get(last));
      const isKnown = newest?.source === version.source;
      // Two of one millisecond, or a clock that was set back: the order stays that in which they came.
      const when = Math.max(version.when, (last?.[1] ?? 0) + 1);
      const old = keys.slice(0, Math.max(0, keys.length + 1 - mostVersions));
      await write(transaction, [
        () => !isKnown && store.put({ ...version, when }, [version.mod, when]),
        ...old.map((key) => () => !isKnown && store.delete(key)),
      ]);
    },
    async purge(others) {
      const transaction = (await database()).transaction("versions", "readwrite");
      const keys = await transaction.store.getAllKeys();
      const gone = keys.filter(([mod]) => !others.has(mod));
      await write(
        transaction,
        gone.map((key) => () => transaction.store.delete(key)),
      );
    },
  };
}
