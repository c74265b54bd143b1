/** How the database of runs is laid out, version by version. */
import type { DBSchema, IDBPDatabase } from "idb";
import type { TraceRecord } from "../trace/format.ts";
import type { RunFacts, RunTexts } from "./run-facts.ts";

/** What came of a run that goes on since the piece before. */
export interface RunPiece {
  /** The version of the trace format, since an earlier version of the page may have written the piece. */
  readonly version: number;
  readonly records: readonly TraceRecord[];
  readonly modIds: readonly string[];
  readonly from: string | null;
}

export interface RemovedRun {
  readonly facts: RunFacts;
  /** Milliseconds since 1970. */
  readonly removedAt: number;
}

/** Every key is the id of a run; that of a piece has its number too. */
export interface RunsSchema extends DBSchema {
  /** The runs that are listed, whole. */
  facts: { key: string; value: RunFacts };
  /** For each listed run, and until a removed one is gone for good. */
  texts: { key: string; value: RunTexts & { readonly id: string } };
  /** Encoded traces of listed, visiting and removed runs. */
  traces: { key: string; value: Uint8Array<ArrayBuffer> };
  /** Runs that go on, or whose page was left in their middle. */
  pieces: { key: [run: string, number: number]; value: RunPiece };
  /** Runs from elsewhere that are shown and were not saved: a page that is reloaded finds them, the list does not have them. */
  visitors: { key: string; value: RunFacts };
  /** Runs that were deleted and can still be put back. */
  removed: { key: string; value: RemovedRun };
}

export type RunsDatabase = IDBPDatabase<RunsSchema>;

/**
 * The step from each version to the next; the version of the database is their number. A step that was released is never
 * changed: what comes next is a further step.
 */
export const migrations: readonly ((database: RunsDatabase) => void)[] = [
  (database) => {
    for (const name of ["facts", "texts", "traces", "pieces", "visitors", "removed"] as const)
      database.createObjectStore(name);
  },
];
