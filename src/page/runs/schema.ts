/** How the database of runs is laid out, version by version. */
import type { DBSchema, IDBPDatabase, IDBPTransaction, StoreNames } from "idb";
import type { TraceRecord } from "../../core/trace/format/format.ts";
import type { Experiment } from "../experiments/experiment.ts";
import type { RunOutcome } from "../experiments/outcome.ts";
import type { RunMetadata, RunTexts } from "./run-metadata.ts";

/** The records of a running request since the previous piece. */
export interface RunPiece {
  /** The version of the trace format, since an earlier version of the page may have written the piece. */
  readonly version: number;
  readonly records: readonly TraceRecord[];
  readonly modIds: readonly string[];
  readonly from: string | null;
}

export interface RemovedRun {
  readonly facts: RunMetadata;
  /** Milliseconds since 1970. */
  readonly removedAt: number;
}

/** An experiment of this browser, made here or opened from a file. */
export interface SavedExperiment {
  readonly id: string;
  /** Milliseconds since 1970: when it was made here. */
  readonly when: number;
  readonly experiment: Experiment;
  /** Runs that were made, those that failed among them. */
  readonly made: number;
  /** True where its outcomes came with a file: its runs are not here. */
  readonly recorded: boolean;
  /** Milliseconds since 1970; null unless it was deleted, and can still be put back. */
  readonly removedAt: number | null;
}

/** One run of an experiment. */
export interface SavedOutcome {
  readonly outcome: RunOutcome;
  /** Null if the outcome came with a file. */
  readonly facts: RunMetadata | null;
}

/** A source that a mod of this browser had. */
export interface ModVersion {
  /** Id of the mod. */
  readonly mod: string;
  /** The mod's name then. */
  readonly name: string;
  readonly source: string;
  /** Milliseconds since 1970. */
  readonly when: number;
}

/**
 * Every key is the id of a run, of an experiment or of a mod; that of a piece has its number too, that of an outcome the run's,
 * and that of a version its time.
 */
export interface RunsSchema extends DBSchema {
  /** The runs that are listed, whole. */
  facts: {
    key: string;
    value: RunMetadata;
    /** By the request's own id, and by the id of the request that it branches off. */
    indexes: { request: string; parent: string };
  };
  /** For each listed run, and until a removed one is gone for good. */
  texts: { key: string; value: RunTexts & { readonly id: string } };
  /** Encoded traces of listed, visiting and removed runs. */
  traces: { key: string; value: Uint8Array<ArrayBuffer> };
  /** Runs that go on, or whose page was left in their middle. */
  pieces: { key: [run: string, number: number]; value: RunPiece };
  /** Runs from elsewhere that are shown and were not saved: a page that is reloaded finds them, the list does not have them. */
  visitors: { key: string; value: RunMetadata };
  /** Runs that were deleted and can still be put back. */
  removed: { key: string; value: RemovedRun };
  experiments: { key: string; value: SavedExperiment };
  /** The outcomes of experiments' runs. They are in no list of runs, unless the user saved them there too. */
  outcomes: {
    key: [experiment: string, number: number];
    value: SavedOutcome;
    indexes: { run: string };
  };
  versions: { key: [mod: string, when: number]; value: ModVersion };
  /** Runs of which version 1 kept no branch: their records are still to be read for it. */
  unread: { key: string; value: true };
  /** Mods that have versions and are no longer in the list: when that was first seen, in milliseconds since 1970. */
  goneMods: { key: string; value: number };
}

export type RunsDatabase = IDBPDatabase<RunsSchema>;

/** The transaction in which the database goes from version to version. */
export type Upgrade = IDBPTransaction<RunsSchema, StoreNames<RunsSchema>[], "versionchange">;

export type Migration = (database: RunsDatabase, upgrade: Upgrade) => void | Promise<void>;

/**
 * The step from each version to the next; the version of the database is their number. A step that was released is never
 * changed: what comes next is a further step.
 */
export const migrations: readonly Migration[] = [
  (database) => {
    for (const name of ["facts", "texts", "traces", "pieces", "visitors", "removed"] as const)
      database.createObjectStore(name);
  },
  async (database, upgrade) => {
    const unread = database.createObjectStore("unread");
    const facts = upgrade.objectStore("facts");
    facts.createIndex("request", "requestId");
    facts.createIndex("parent", "branch.requestId");
    const nothing = { requestId: "", branch: null };
    for (const store of [facts, upgrade.objectStore("visitors")]) {
      for (const run of await store.getAll()) {
        await store.put({ ...run, ...nothing }, run.id);
        // The run may be a branch, and then its origin has one.
        if (run.from !== null) for (const id of [run.id, run.from]) await unread.put(true, id);
      }
    }
    const removed = upgrade.objectStore("removed");
    for (const run of await removed.getAll())
      await removed.put({ ...run, facts: { ...run.facts, ...nothing } }, run.facts.id);
  },
  (database) => {
    database.createObjectStore("experiments");
    database.createObjectStore("outcomes").createIndex("run", "facts.id", { unique: true });
  },
  (database) => void database.createObjectStore("versions"),
  (database) => void database.createObjectStore("goneMods"),
];
