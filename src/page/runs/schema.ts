/** The stores of the database of runs. */
import type { DBSchema, IDBPDatabase, IDBPTransaction, StoreNames } from "idb";
import type { TraceRecord } from "../../core/trace/format/format.ts";
import type { Experiment } from "../experiments/experiment.ts";
import type { RunOutcome } from "../experiments/outcome.ts";
import type { RunMetadata, RunTexts } from "./run-metadata.ts";

/** The records of a running request since the previous piece. */
export interface RunPiece {
  /** The version of the trace format, because an earlier version of the page may have written the piece. */
  readonly version: number;
  readonly records: readonly TraceRecord[];
  readonly modIds: readonly string[];
  readonly from: string | null;
}

export interface RemovedRun {
  readonly metadata: RunMetadata;
  /** Milliseconds since 1970. */
  readonly removedAt: number;
}

/** An experiment of this browser, made here or opened from a file. */
export interface SavedExperiment {
  readonly id: string;
  /** Milliseconds since 1970: when the experiment was made here. */
  readonly when: number;
  readonly experiment: Experiment;
  /** Number of finished runs, with the failed ones. */
  readonly made: number;
  /** True if the outcomes came with a file: this browser does not have the runs. */
  readonly recorded: boolean;
  /** Milliseconds since 1970: when the experiment was deleted; null if it is in the list. */
  readonly removedAt: number | null;
}

/** One run of an experiment. */
export interface SavedOutcome {
  readonly outcome: RunOutcome;
  /** Null if the outcome came with a file. */
  readonly metadata: RunMetadata | null;
}

/** A source that a mod of this browser had. */
export interface ModVersion {
  /** Id of the mod. */
  readonly mod: string;
  /** The name of the mod at that time. */
  readonly name: string;
  readonly source: string;
  /** Milliseconds since 1970. */
  readonly when: number;
  /** The export that ran; absent if it was the default export. */
  readonly entry?: string;
  /** The kind of model for which the mod is made; absent: any model. */
  readonly needs?: "instruct";
}

/**
 * Every key is the id of a run, of an experiment or of a mod. The key of a piece also has the number of the piece, the key of
 * an outcome the number of the run, and the key of a version its time.
 */
export interface RunsSchema extends DBSchema {
  /** The runs of the list. */
  metadata: {
    key: string;
    value: RunMetadata;
    /** Indexed by the id of the request, and by the id of the request that it branches off. */
    indexes: { request: string; parent: string };
  };
  /** The texts of each listed run, each run of an experiment, and each removed run until it is deleted for good. */
  texts: { key: string; value: RunTexts & { readonly id: string } };
  /** Encoded traces of listed, imported and removed runs, and of the runs of experiments. */
  traces: { key: string; value: Uint8Array<ArrayBuffer> };
  /** Pieces of runs in progress, and of runs whose page was left before their end. */
  pieces: { key: [run: string, number: number]; value: RunPiece };
  /** Imported runs that a page shows and the user did not save: a reloaded page finds them, but the list does not have them. */
  importedRuns: { key: string; value: RunMetadata };
  /** Deleted runs that can still be restored. */
  removed: { key: string; value: RemovedRun };
  experiments: { key: string; value: SavedExperiment };
  /** The outcomes of the runs of experiments, with the metadata of these runs: `metadata` has them only if the user saved them too. */
  outcomes: {
    key: [experiment: string, number: number];
    value: SavedOutcome;
    indexes: { run: string };
  };
  versions: { key: [mod: string, when: number]; value: ModVersion };
  /**
   * Mods that have saved versions but are no longer in the list, each with the time at which the mod was deleted, or at which a
   * page first noticed that, in milliseconds since 1970.
   */
  deletedMods: { key: string; value: number };
}

export type RunsDatabase = IDBPDatabase<RunsSchema>;

/** The transaction in which the database goes from one version to the next. */
export type UpgradeTransaction = IDBPTransaction<RunsSchema, StoreNames<RunsSchema>[], "versionchange">;

export type Migration = (database: RunsDatabase, upgrade: UpgradeTransaction) => void | Promise<void>;

/**
 * The step from each version to the next; the number of steps is the version of the database. Step 1 makes the stores. After
 * the first release no step changes: each change of the schema is a further step.
 */
export const migrations: readonly Migration[] = [
  (database) => {
    const listed = database.createObjectStore("metadata");
    listed.createIndex("request", "requestId");
    listed.createIndex("parent", "branch.requestId");
    database.createObjectStore("outcomes").createIndex("run", "metadata.id", { unique: true });
    for (const name of otherStores) database.createObjectStore(name);
  },
];

const otherStores = [
  "texts",
  "traces",
  "pieces",
  "importedRuns",
  "removed",
  "experiments",
  "versions",
  "deletedMods",
] as const;
