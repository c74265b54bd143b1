/**
 * Runs that the user deleted. Until a purge they can be restored. A purge names a removal and not only an id: meanwhile a run
 * with the same id may have come back, for example from a file of the user.
 */
import { parseMetadataRow, parseRemovedRow } from "./rows.ts";
import type { RunsDatabase } from "./schema.ts";
import { isInAnyStore, writeInTransaction } from "./write.ts";

/** The entries that a single call removed from a list. */
export interface Removal {
  readonly ids: readonly string[];
  /** Milliseconds since 1970. */
  readonly removedAt: number;
}

export async function removeFromRunList(database: RunsDatabase, ids: readonly string[]): Promise<Removal> {
  const transaction = database.transaction(["metadata", "removed"], "readwrite");
  const store = transaction.objectStore("metadata");
  const rows = await Promise.all(ids.map((id) => store.get(id)));
  const found = rows.map(parseMetadataRow).filter((metadata) => metadata !== null);
  const removedAt = Date.now();
  const removed = transaction.objectStore("removed");
  await writeInTransaction(
    transaction,
    found.flatMap((metadata) => [
      () => store.delete(metadata.id),
      () => removed.put({ metadata, removedAt }, metadata.id),
    ]),
  );
  return { ids: found.map(({ id }) => id), removedAt };
}

/** Returns the ids of the runs that are in the list afterwards, also of runs that were restored before. */
export async function restoreToRunList(
  database: RunsDatabase,
  ids: readonly string[],
): Promise<readonly string[]> {
  const transaction = database.transaction(["metadata", "removed"], "readwrite");
  const store = transaction.objectStore("removed");
  const listed = transaction.objectStore("metadata");
  const [removed, keys] = await Promise.all([
    Promise.all(ids.map((id) => store.get(id))),
    Promise.all(ids.map((id) => listed.getKey(id))),
  ]);
  const found = removed.map(parseRemovedRow).filter((run) => run !== null);
  await writeInTransaction(
    transaction,
    found.flatMap(({ metadata }) => [
      () => store.delete(metadata.id),
      () => listed.put(metadata, metadata.id),
    ]),
  );
  return ids.filter((_, at) => parseRemovedRow(removed[at]) !== null || keys[at] !== undefined);
}

export async function purgeRemovedRuns(
  database: RunsDatabase,
  which: Removal | { readonly before: number },
): Promise<void> {
  const transaction = database.transaction(
    ["removed", "texts", "traces", "metadata", "importedRuns", "outcomes"],
    "readwrite",
  );
  const removed = transaction.objectStore("removed");
  const wanted = "before" in which ? null : new Set(which.ids);
  const rows = (await removed.getAll()).map(parseRemovedRow).filter((run) => run !== null);
  const gone = rows.filter(({ metadata, removedAt }) =>
    "before" in which
      ? removedAt < which.before
      : removedAt === which.removedAt && wanted?.has(metadata.id) === true,
  );
  const listed = transaction.objectStore("metadata");
  const shown = [transaction.objectStore("importedRuns"), transaction.objectStore("outcomes").index("run")];
  const isListed = await Promise.all(gone.map(({ metadata }) => isInAnyStore([listed], metadata.id)));
  const isShown = await Promise.all(gone.map(({ metadata }) => isInAnyStore(shown, metadata.id)));
  await writeInTransaction(
    transaction,
    gone.flatMap(({ metadata }, at) => {
      const hasTrace = isListed[at] === true || isShown[at] === true;
      return [
        () => removed.delete(metadata.id),
        () => !hasTrace && transaction.objectStore("texts").delete(metadata.id),
        () => !hasTrace && transaction.objectStore("traces").delete(metadata.id),
      ];
    }),
  );
}
