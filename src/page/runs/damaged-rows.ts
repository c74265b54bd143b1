/** Finds unusable rows, and deletes them on request. */
import {
  parseExperimentRow,
  parseMetadataRow,
  parseOutcomeRow,
  parseRemovedRow,
  parseVersionRow,
  type RowKey,
  readRowsOneByOne,
} from "./rows.ts";
import type { RunsDatabase } from "./schema.ts";
import { isInAnyStore, writeInTransaction } from "./write.ts";

const readers = {
  metadata: parseMetadataRow,
  removed: parseRemovedRow,
  importedRuns: parseMetadataRow,
  experiments: parseExperimentRow,
  outcomes: parseOutcomeRow,
  versions: parseVersionRow,
} as const;

type ReadStore = keyof typeof readers;

/** An unusable row. */
export interface DamagedRow {
  readonly store: ReadStore;
  readonly key: RowKey;
  /** The row as it is stored; undefined if the browser cannot read it. */
  readonly value: unknown;
}

/** Looks through all stores except texts, traces and pieces, which are read together with their run. */
export async function findDamagedRows(database: RunsDatabase): Promise<readonly DamagedRow[]> {
  const found: DamagedRow[] = [];
  for (const store of Object.keys(readers) as ReadStore[]) {
    for (const { key, value } of await readRowsOneByOne(database, store))
      if (readers[store](value) === null) found.push({ store, key, value });
  }
  return found;
}

/** Deletes a damaged row for good, with the run's texts and trace if no other row needs them; a row that can be read stays. */
export async function deleteDamagedRow(database: RunsDatabase, { store, key }: DamagedRow): Promise<void> {
  const value: unknown = await database.get(store, key as never).catch(() => undefined);
  if (readers[store](value) !== null) return;
  await database.delete(store, key as never);
  if (typeof key !== "string" || store === "experiments") return;
  const transaction = database.transaction(
    ["metadata", "removed", "importedRuns", "outcomes", "texts", "traces"],
    "readwrite",
  );
  const users = [
    transaction.objectStore("metadata"),
    transaction.objectStore("removed"),
    transaction.objectStore("importedRuns"),
    transaction.objectStore("outcomes").index("run"),
  ];
  const isNeeded = await isInAnyStore(users, key);
  await writeInTransaction(transaction, [
    () => !isNeeded && transaction.objectStore("texts").delete(key),
    () => !isNeeded && transaction.objectStore("traces").delete(key),
  ]);
}
