/**
 * Takes over what earlier versions of the page kept: the last run of each of a few tabs, in a database of their own. What
 * was taken over is removed there, and the database with its last run.
 */
import { deleteDB, type IDBPDatabase, openDB } from "idb";
import { messageOf } from "../base/message-of.ts";
import { decodeRecordsFile } from "../trace/codec-records.ts";
import type { TraceRecord } from "../trace/format.ts";
import { createTraceModel } from "../trace/trace-model.ts";
import { runOfPieces } from "./growing-run.ts";
import type { RunRepository } from "./repository.ts";
import { runToKeep } from "./run-to-keep.ts";

const earlier = { name: "midtoken.v1", table: "runs" };

interface EarlierRun {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly modIds: readonly string[];
  readonly recorded?: boolean;
  readonly interrupted?: boolean;
  readonly savedAt?: number;
}

interface EarlierPiece {
  readonly version: number;
  readonly records: readonly TraceRecord[];
  readonly modIds: readonly string[];
}

/** The id under which a tab's run of an earlier version is taken over: the same if it is taken over twice. */
export const earlierRunId = (tab: string) => `v1-${tab}`;

/** Answers why runs could not be taken over; these stay where they are. */
export async function takeOverEarlierRuns(repository: RunRepository): Promise<readonly string[]> {
  const database = await openEarlier();
  if (!database) return [];
  const problems: string[] = [];
  const keys = (await database.getAllKeys(earlier.table)) as string[];
  const tabs = new Set(keys.map((key) => key.split("/")[1] ?? ""));
  // The run of the tab that ran last stands twice: under its tab's name too.
  if (keys.some((key) => key.startsWith("run/"))) tabs.delete("");
  for (const tab of tabs) {
    const own = keys.filter((key) => (tab === "" ? key === "last" : key.split("/")[1] === tab));
    try {
      await takeOver(repository, database, tab, own);
      for (const key of own) await database.delete(earlier.table, key);
    } catch (cause) {
      problems.push(messageOf(cause));
    }
  }
  database.close();
  if (problems.length === 0) await deleteDB(earlier.name);
  return problems;
}

async function takeOver(
  repository: RunRepository,
  database: IDBPDatabase,
  tab: string,
  keys: readonly string[],
): Promise<void> {
  const id = earlierRunId(tab || "last");
  const whole = keys.find((key) => !key.startsWith("piece/"));
  if (whole !== undefined) {
    const { bytes, modIds, ...kept } = (await database.get(earlier.table, whole)) as EarlierRun;
    const { trace, notes } = decodeRecordsFile(bytes);
    const model = createTraceModel(notes);
    model.append(trace.records);
    const { recorded = false, interrupted = false, savedAt: when = 0 } = kept;
    await repository.keep(runToKeep(model, { id, when, modIds, from: null, recorded, interrupted }));
  }
  const pieces: EarlierPiece[] = [];
  for (const key of keys.filter((each) => each.startsWith("piece/")))
    pieces.push((await database.get(earlier.table, key)) as EarlierPiece);
  const left = runOfPieces(
    `${id}-left`,
    pieces.map((piece) => ({ ...piece, from: null })),
  );
  if (left) await repository.keep(runToKeep(left.trace, left.origin));
}

/** Null where there is none: it is not made for the looking. */
async function openEarlier(): Promise<IDBPDatabase | null> {
  // Not every browser tells which databases there are.
  const names = (await indexedDB.databases?.())?.map(({ name }) => name);
  if (names && !names.includes(earlier.name)) return null;
  let isMissing = false;
  try {
    return await openDB(earlier.name, 1, {
      upgrade(_database, from, _to, transaction) {
        isMissing = from === 0;
        if (isMissing) transaction.abort();
      },
    });
  } catch (cause) {
    if (isMissing) return null;
    throw cause;
  }
}
