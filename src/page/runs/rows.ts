/**
 * Rows of the database, each checked by itself: a row that is damaged, or that the browser cannot read from its disk, affects
 * no other row and stays in place.
 */
import type { StoreNames } from "idb";
import { isRecord } from "../../core/base/record.ts";
import type { RunMetadata, RunTexts } from "./run-metadata.ts";
import type {
  ModVersion,
  RemovedRun,
  RunPiece,
  RunsDatabase,
  RunsSchema,
  SavedExperiment,
  SavedOutcome,
} from "./schema.ts";

/** Reads a row; null for a row that is damaged. */
type RowReader<Row> = (value: unknown) => Row | null;

const isText = (value: unknown): value is string => typeof value === "string";
const isTextOrNull = (value: unknown) => value === null || isText(value);
const isCount = (value: unknown) => typeof value === "number" && Number.isFinite(value);
const isFlag = (value: unknown) => typeof value === "boolean";
const areTexts = (value: unknown) => Array.isArray(value) && value.every(isText);
const isOptional = (is: (value: unknown) => boolean) => (value: unknown) => value === undefined || is(value);

/** A reader of rows that have these fields; other fields are left as they are. */
function rowOf<Row>(fields: Readonly<Record<string, (value: unknown) => boolean>>): RowReader<Row> {
  const all = Object.entries(fields);
  return (value) =>
    isRecord(value) && all.every(([name, isRight]) => isRight(value[name])) ? (value as Row) : null;
}

const branch = rowOf({ requestId: isText, index: isCount, isChosen: isFlag, words: isText });

export const parseMetadataRow = rowOf<RunMetadata>({
  id: isText,
  when: isCount,
  modIds: areTexts,
  from: isTextOrNull,
  recorded: isFlag,
  interrupted: isFlag,
  star: isFlag,
  tags: areTexts,
  title: isTextOrNull,
  requestId: isText,
  model: isText,
  mods: areTexts,
  prompt: isText,
  output: isText,
  tokens: isCount,
  finishReason: isTextOrNull,
  bytes: isCount,
  maker: isOptional(isText),
  branch: (value) => value === null || branch(value) !== null,
});
export const parseTextsRow = rowOf<RunTexts & { readonly id: string }>({
  id: isText,
  prompt: isText,
  output: isText,
});
export const parseRemovedRow = rowOf<RemovedRun>({
  metadata: (value) => parseMetadataRow(value) !== null,
  removedAt: isCount,
});
const experiment = rowOf({
  name: isText,
  model: isText,
  modSets: Array.isArray,
  prompts: Array.isArray,
  seeds: Array.isArray,
  settings: isRecord,
  checks: Array.isArray,
});
export const parseExperimentRow = rowOf<SavedExperiment>({
  id: isText,
  when: isCount,
  made: isCount,
  recorded: isFlag,
  experiment: (value) => experiment(value) !== null,
  removedAt: (value) => value === null || isCount(value),
});
const outcome = rowOf({ number: isCount, result: isRecord, cost: isRecord });
export const parseOutcomeRow = rowOf<SavedOutcome>({
  outcome: (value) => outcome(value) !== null,
  metadata: (value) => value === null || parseMetadataRow(value) !== null,
});
export const parseVersionRow = rowOf<ModVersion>({
  mod: isText,
  name: isText,
  source: isText,
  when: isCount,
  entry: isOptional(isText),
  needs: isOptional((value) => value === "instruct"),
});
export const parsePieceRow = rowOf<RunPiece>({
  version: isCount,
  records: Array.isArray,
  modIds: areTexts,
  from: isOptional(isTextOrNull),
});
export const parseTraceRow = (value: unknown) => (value instanceof Uint8Array ? value : null);

export type RowKey = string | readonly (string | number)[];

/** All readable rows, in the order of their keys. `onDamaged`: called if unreadable rows were found. */
export async function readRows<Row>(
  database: RunsDatabase,
  name: StoreNames<RunsSchema>,
  read: RowReader<Row>,
  onDamaged: () => void,
  range?: IDBKeyRange,
): Promise<readonly Row[]> {
  // A single row that the browser cannot read from its disk fails all of `getAll`.
  const values: readonly unknown[] | null = await database.getAll(name, range).catch(() => null);
  const found = values ?? (await readRowsOneByOne(database, name, range)).map(({ value }) => value);
  const rows = found.map(read).filter((row) => row !== null);
  if (rows.length < found.length) onDamaged();
  return rows;
}

/** All rows, also damaged rows. */
export async function readRowsOneByOne(
  database: RunsDatabase,
  name: StoreNames<RunsSchema>,
  range?: IDBKeyRange,
) {
  const keys = await database.getAllKeys(name, range);
  const rows: { readonly key: RowKey; readonly value: unknown }[] = [];
  for (const key of keys) {
    // Each row has its own transaction, because a failing row ends its transaction.
    const value: unknown = await database.get(name, key as never).catch(() => undefined);
    rows.push({ key, value });
  }
  return rows;
}
