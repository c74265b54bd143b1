/**
 * The saved runs of this browser, in IndexedDB, for all tabs. Metadata, texts and traces are stored separately, so that the
 * list reads no trace. Every call is one transaction: it succeeds or fails as a whole.
 */

import { importProgramPart } from "../../core/base/import-part.ts";
import { TraceError } from "../../core/trace/format/trace-error.ts";
import { createRunsChangeChannel, type RunsChange } from "./changes.ts";
import { connectToRunsDatabase, type RunsConnection } from "./connection.ts";
import type { DamagedRow } from "./damaged-rows.ts";
import { createExperimentRepository, type ExperimentRepository } from "./experiment-repository.ts";
import type { Removal } from "./removed-runs.ts";
import { parseMetadataRow, parseOutcomeRow, parsePieceRow, parseTraceRow, readRows } from "./rows.ts";
import type { RunMarks, RunMetadata, RunTexts } from "./run-metadata.ts";
import type { RunPiece, RunsDatabase } from "./schema.ts";
import type { FoundRuns } from "./search-runs.ts";
import { createModVersionRepository, type ModVersionRepository } from "./version-repository.ts";
import { isInAnyStore, keysBeginningWith, writeInTransaction } from "./write.ts";

export type { DamagedRow, FoundRuns, Removal };

export interface RunToSave {
  readonly metadata: RunMetadata;
  readonly texts: RunTexts;
  /** The trace as a `.trace` file has it. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface OpenedRun {
  readonly metadata: RunMetadata;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** False for an imported run that is not in the list. */
  readonly isListed: boolean;
}

/** @throws RunsOutdatedError from every call, once another tab has a newer Midtoken. */
export interface RunRepository {
  /** The metadata of all runs, newest first. */
  list(): Promise<readonly RunMetadata[]>;
  /** The metadata of the given runs that are in the list. */
  metadata(ids: readonly string[]): Promise<readonly RunMetadata[]>;
  /** The metadata of all runs of the branch tree of this run; empty if the run is not in the list. */
  branchTree(id: string): Promise<readonly RunMetadata[]>;
  /** A run of the list, an imported run, or a run of an experiment. Null if the run is not saved, or was deleted. */
  open(id: string): Promise<OpenedRun | null>;
  /** The runs of `among` that have every word of the query in their prompt, output, title, tags, mods, model or maker. */
  search(query: string, among: readonly RunMetadata[], signal?: AbortSignal): Promise<FoundRuns>;
  /**
   * Puts a whole run into the list, in place of its pieces. If the list has the run already, its marks stay. A removed run that
   * is saved again is no longer removed: no purge deletes it.
   */
  save(run: RunToSave): Promise<void>;
  /** Saves an imported run for the page that shows it, not in the list. Only the newest few imported runs stay. */
  saveImportedRun(run: Omit<RunToSave, "texts">): Promise<void>;
  /** `change` gets the present metadata, whichever tab changed it last. Runs that are not in the list are left out. */
  mark(ids: readonly string[], change: (metadata: RunMetadata) => Partial<RunMarks>): Promise<void>;
  /** Takes runs out of the list; `restore` puts them back, until `purge` has deleted them for good. Returns the removal. */
  remove(ids: readonly string[]): Promise<Removal>;
  /** Returns the ids of the runs that are in the list afterwards. */
  restore(ids: readonly string[]): Promise<readonly string[]>;
  /**
   * Deletes removed runs for good: the runs of one removal, or all runs that were removed before a time. A run that was
   * restored, or removed again later, stays. A trace stays while the list, an imported run or an experiment needs it.
   */
  purge(which: Removal | { readonly before: number }): Promise<void>;
  /** Writes a piece of a run in progress. The first piece replaces all earlier pieces of the run. */
  addPiece(id: string, number: number, piece: RunPiece): Promise<void>;
  /** Ids of the runs that are saved in pieces. */
  growing(): Promise<readonly string[]>;
  /** @throws TraceError if a piece is damaged. */
  pieces(id: string): Promise<readonly RunPiece[]>;
  /** The stored pieces, damaged or not. */
  rawPieces(id: string): Promise<readonly unknown[]>;
  dropPieces(id: string): Promise<void>;
  /** Unusable rows. No list has these rows, and they stay until `drop` is called. */
  damaged(): Promise<readonly DamagedRow[]>;
  /** Deletes such a row for good, with the texts and the trace of its run unless another row needs them. */
  drop(row: DamagedRow): Promise<void>;
  /** The trace under an id, whether or not its run can be read; null if there is none. */
  trace(id: string): Promise<Uint8Array | null>;
  /** The earlier versions of the user's mods. */
  readonly versions: ModVersionRepository;
  /** The experiments, and the runs that were made for them. */
  readonly experiments: ExperimentRepository;
  /** Calls `listener` for each change by this or another tab, until the returned function is called. */
  watch(listener: (change: RunsChange) => void): () => void;
  close(): void;
}

/** Number of imported runs that are saved outside the list: one run for each of so many tabs. */
const mostImportedRuns = 8;

/** The code is fetched at the first use: the page is shown without it. */
const late = {
  search: () =>
    importProgramPart("The code that searches runs", () => import("./search-runs.ts"), "searchRuns"),
  branchTree: () =>
    importProgramPart(
      "The code that reads the branch tree",
      () => import("./read-branch-tree.ts"),
      "readBranchTree",
    ),
  removed: () =>
    importProgramPart("The code that deletes runs", () => import("./removed-runs.ts"), "purgeRemovedRuns"),
  damaged: () =>
    importProgramPart(
      "The code that checks saved runs for damage",
      () => import("./damaged-rows.ts"),
      "findDamagedRows",
    ),
} as const;

/** `name`: of the database and of the channel between tabs. Nothing is opened before the first call. */
export function createRunRepository(
  name = "midtoken.runs.v1",
  connect: (options: Parameters<typeof connectToRunsDatabase>[0]) => RunsConnection = connectToRunsDatabase,
): RunRepository {
  const changes = createRunsChangeChannel(name);
  const connection = connect({
    name,
    onOutdated: () => changes.tell({ type: "outdated" }),
    onBlocked: () => changes.tell({ type: "blocked" }),
  });
  const { database } = connection;
  const tellDamage = () => changes.tell({ type: "damaged" });
  return {
    list: async () => newestFirst(await readRows(await database(), "metadata", parseMetadataRow, tellDamage)),
    async metadata(ids) {
      const { store } = (await database()).transaction("metadata");
      const found = await Promise.all(ids.map((id) => store.get(id)));
      return found.map(parseMetadataRow).filter((metadata) => metadata !== null);
    },
    branchTree: async (id) => (await late.branchTree()).readBranchTree(await database(), id),
    open: async (id) => openRun(await database(), id),
    search: async (query, among, signal) =>
      (await late.search()).searchRuns(await database(), query, among, signal),
    async save(run) {
      await save(await database(), run);
      changes.tellAll([run.metadata.id]);
    },
    saveImportedRun: async (run) => saveImportedRun(await database(), run),
    async mark(ids, change) {
      await markRuns(await database(), ids, change);
      changes.tellAll(ids);
    },
    async remove(ids) {
      const removal = await (await late.removed()).removeFromRunList(await database(), ids);
      changes.tellAll(removal.ids);
      return removal;
    },
    async restore(ids) {
      const back = await (await late.removed()).restoreToRunList(await database(), ids);
      changes.tellAll(back);
      return back;
    },
    purge: async (which) => (await late.removed()).purgeRemovedRuns(await database(), which),
    async addPiece(id, number, piece) {
      await addPiece(await database(), [id, number], piece);
    },
    async growing() {
      const keys = await (await database()).getAllKeys("pieces");
      return [...new Set(keys.map(([id]) => id))];
    },
    async pieces(id) {
      const failed = () => {
        throw new TraceError("a piece of the saved data is damaged.");
      };
      return readRows(await database(), "pieces", parsePieceRow, failed, keysBeginningWith(id));
    },
    rawPieces: async (id) => (await database()).getAll("pieces", keysBeginningWith(id)),
    dropPieces: async (id) => (await database()).delete("pieces", keysBeginningWith(id)),
    damaged: async () => (await late.damaged()).findDamagedRows(await database()),
    drop: async (row) => (await late.damaged()).deleteDamagedRow(await database(), row),
    trace: async (id) => parseTraceRow(await (await database()).get("traces", id)),
    versions: createModVersionRepository(database, tellDamage),
    experiments: createExperimentRepository(database, changes),
    watch: changes.watch,
    close() {
      connection.close();
      changes.close();
    },
  };
}

async function markRuns(
  database: RunsDatabase,
  ids: readonly string[],
  change: Parameters<RunRepository["mark"]>[1],
): Promise<void> {
  const transaction = database.transaction("metadata", "readwrite");
  const found = await Promise.all(ids.map((id) => transaction.store.get(id)));
  await writeInTransaction(
    transaction,
    found
      .map(parseMetadataRow)
      .map(
        (metadata) => () =>
          metadata && transaction.store.put({ ...metadata, ...change(metadata) }, metadata.id),
      ),
  );
}

/** Adds a piece of a growing run. The first piece replaces the pieces that an earlier attempt left. */
async function addPiece(
  database: RunsDatabase,
  [id, number]: readonly [id: string, number: number],
  piece: RunPiece,
): Promise<void> {
  const transaction = database.transaction("pieces", "readwrite");
  await writeInTransaction(transaction, [
    () => number === 0 && transaction.store.delete(keysBeginningWith(id)),
    () => transaction.store.put(piece, [id, number]),
  ]);
}

const newestFirst = (runs: readonly RunMetadata[]) => runs.toSorted((a, b) => b.when - a.when);

async function openRun(database: RunsDatabase, id: string): Promise<OpenedRun | null> {
  const transaction = database.transaction(["metadata", "importedRuns", "outcomes", "traces"]);
  const [listed, importedRun, outcome, trace] = await Promise.all([
    transaction.objectStore("metadata").get(id),
    transaction.objectStore("importedRuns").get(id),
    transaction.objectStore("outcomes").index("run").get(id),
    transaction.objectStore("traces").get(id),
  ]);
  const own = parseMetadataRow(listed);
  const metadata = own ?? parseMetadataRow(importedRun) ?? parseOutcomeRow(outcome)?.metadata;
  const bytes = parseTraceRow(trace) as OpenedRun["bytes"] | null;
  return metadata && bytes ? { metadata, bytes, isListed: own !== null } : null;
}

async function save(database: RunsDatabase, { metadata, texts, bytes }: RunToSave): Promise<void> {
  const transaction = database.transaction(
    ["metadata", "texts", "traces", "pieces", "importedRuns", "removed"],
    "readwrite",
  );
  const known = parseMetadataRow(await transaction.objectStore("metadata").get(metadata.id));
  const { star, tags, title } = known ?? metadata;
  await writeInTransaction(transaction, [
    () => transaction.objectStore("metadata").put({ ...metadata, star, tags, title }, metadata.id),
    () => transaction.objectStore("texts").put({ ...texts, id: metadata.id }, metadata.id),
    () => transaction.objectStore("traces").put(bytes, metadata.id),
    () => transaction.objectStore("pieces").delete(keysBeginningWith(metadata.id)),
    () => transaction.objectStore("importedRuns").delete(metadata.id),
    () => transaction.objectStore("removed").delete(metadata.id),
  ]);
}

async function saveImportedRun(
  database: RunsDatabase,
  { metadata, bytes }: Omit<RunToSave, "texts">,
): Promise<void> {
  const transaction = database.transaction(
    ["importedRuns", "traces", "metadata", "removed", "outcomes"],
    "readwrite",
  );
  const importedRuns = transaction.objectStore("importedRuns");
  const traces = transaction.objectStore("traces");
  const others = (await importedRuns.getAll())
    .map(parseMetadataRow)
    .filter((other): other is RunMetadata => other !== null && other.id !== metadata.id);
  const old = newestFirst(others).slice(mostImportedRuns - 1);
  const elsewhere = [
    transaction.objectStore("metadata"),
    transaction.objectStore("removed"),
    transaction.objectStore("outcomes").index("run"),
  ];
  const isNeeded = await Promise.all(old.map(({ id }) => isInAnyStore(elsewhere, id)));
  await writeInTransaction(transaction, [
    ...old.flatMap(({ id }, at) => [
      () => importedRuns.delete(id),
      () => isNeeded[at] !== true && traces.delete(id),
    ]),
    () => importedRuns.put(metadata, metadata.id),
    () => traces.put(bytes, metadata.id),
  ]);
}
