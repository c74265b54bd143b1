/** Checks a trace from outside: its records and its recorded layers. */
import { type ResumableWork, runToEnd, scaleProgress } from "../../base/resumable-work.ts";
import type { Trace } from "../format/format.ts";
import { checkingLayers } from "./parse-layers.ts";
import { checkingRecords } from "./parse-records.ts";

/**
 * Checks and rebuilds a trace: every field, every count, every reference from one record to another. Unknown fields are dropped.
 * @throws TraceError with the path of the wrong value; TraceVersionError for a newer version.
 */
export function parseTrace(value: unknown): Trace {
  return runToEnd(parsingTrace(value));
}

/** Like `parseTrace`, in steps. */
export function parsingTrace(value: unknown): ResumableWork<Trace> {
  return parsingAs(value, false);
}

/**
 * Like `parsingTrace`, for records that this program has just built: a record that needs no change stays the same object.
 * @throws as `parseTrace` does, from any step.
 */
export function checkingOwnTrace(value: {
  version: number;
  records: readonly unknown[];
}): ResumableWork<Trace> {
  return parsingAs(value, true);
}

function* parsingAs(value: unknown, isOurs: boolean): ResumableWork<Trace> {
  const { version, records, layers } = yield* scaleProgress(checkingRecords(value, isOurs), 0, 0.9);
  if (layers === undefined) return { version, records };
  const emitted = records.reduce((sum, each) => sum + (each.type === "added" ? each.tokens.length : 0), 0);
  return { version, records, layers: yield* scaleProgress(checkingLayers(layers, emitted, isOurs), 0.9, 1) };
}
