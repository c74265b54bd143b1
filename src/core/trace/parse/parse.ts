/** A trace from outside, checked: its records, and what its layers said. */
import { partOf, runToEnd, type Steps } from "../../base/steps.ts";
import type { Trace } from "../format/format.ts";
import { checkingLayers } from "./parse-layers.ts";
import { checkingRecords } from "./parse-records.ts";

/**
 * Checks and rebuilds a trace: every field, every count, every reference from one
 * record to another. Unknown fields are left behind.
 * @throws TraceError naming the path of what is wrong; TraceVersionError for a version from the future.
 */
export function parseTrace(value: unknown): Trace {
  return runToEnd(parsing(value));
}

/** The same in steps. */
export function parsing(value: unknown): Steps<Trace> {
  return parsingAs(value, false);
}

/**
 * The same in steps, for records that this program has just built: each record stays the very object that it is, unless
 * something in it has to change.
 * @throws as `parseTrace` does, from any step.
 */
export function checking(value: { version: number; records: readonly unknown[] }): Steps<Trace> {
  return parsingAs(value, true);
}

function* parsingAs(value: unknown, isOurs: boolean): Steps<Trace> {
  const { version, records, layers } = yield* partOf(checkingRecords(value, isOurs), 0, 0.9);
  if (layers === undefined) return { version, records };
  const emitted = records.reduce((sum, each) => sum + (each.type === "added" ? each.tokens.length : 0), 0);
  return { version, records, layers: yield* partOf(checkingLayers(layers, emitted, isOurs), 0.9, 1) };
}
