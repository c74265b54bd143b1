/**
 * Converts records to bytes and back, without loss. A link consists of records only; a `.trace` file may also have recorded
 * layers, which `codec.ts` adds. Callers that never need layers do not load that code.
 */
import { partOf, type Steps } from "../../base/steps.ts";
import { TRACE_VERSION, type Trace, type TraceRecord } from "../format/format.ts";
import type { LeftOut } from "../format/left-out.ts";
import { traceLimits } from "../format/limits.ts";
import { TraceError } from "../format/trace-error.ts";
import { checkingRecords } from "../parse/parse-records.ts";
import { codingTrace, type LayersCoding } from "./code-trace.ts";
import type { UnpackBudget } from "./column-reader.ts";
import { createColumnWriter } from "./column-writer.ts";
import type { Packed } from "./container.ts";
import type { TextEncoding } from "./pack.ts";
import { memoryMeanwhile, readingTrace, type TraceSink } from "./reading-trace.ts";
import { type Container, writingContainer } from "./writing-container.ts";

/** A decoded trace, and the parts that were left out of it before it was encoded. */
export interface OpenedTrace {
  readonly trace: Trace;
  readonly notes: readonly LeftOut[];
}

/** An encoded trace, and the cost of unpacking it. */
export interface EncodedTrace extends Container {
  readonly unpacked: number;
  /** Bytes of memory that the opened trace will take: see `memoryOf`. */
  readonly memory: number;
}

/**
 * In steps: writes a valid trace as columns and packs them.
 * @param mixing the encoder of short texts, for a link; null for a file.
 * @param codeLayers writes the recorded layers; without it, the layers are left out.
 */
export function* encodingRecords(
  { trace, notes }: OpenedTrace,
  mixing: TextEncoding | null = null,
  codeLayers?: LayersCoding,
): Steps<EncodedTrace> {
  const writer = createColumnWriter();
  yield* partOf(codingTrace(writer, { ...trace, notes }, undefined, codeLayers), 0, 0.3);
  const columns = writer.columns();
  const columnBytes = sizeOf(columns);
  const container = yield* partOf(writingContainer(columns, mixing), 0.3, 1);
  return {
    ...container,
    unpacked: columnBytes + writer.spent,
    memory: writer.held + memoryMeanwhile(columnBytes),
  };
}

const sizeOf = (columns: ReadonlyMap<unknown, Uint8Array>): number =>
  [...columns.values()].reduce((sum, { length }) => sum + length, 0);

/**
 * In steps: reads records from untrusted bytes. `budget` limits how much may be unpacked, and so the work; afterwards, its
 * remainder tells how much was used.
 * @param layers receives the recorded layers; without it, the layers are skipped.
 * @throws TraceError, and no other error, if the bytes are not a valid trace.
 */
export function* decodingRecords(
  source: Packed,
  budget: UnpackBudget,
  layers?: TraceSink["layers"],
): Steps<OpenedTrace> {
  const records: TraceRecord[] = [];
  let notes: readonly LeftOut[] = [];
  yield* readingTrace(source, budget, {
    begin(given) {
      notes = given;
    },
    take: (record) => records.push(record),
    ...(layers && { layers }),
  });
  return { trace: { version: TRACE_VERSION, records }, notes };
}

/**
 * In steps: the bytes of a `.trace` file of these records.
 * @throws TraceError if the file could not be opened again: the trace is invalid, or above a limit.
 */
export function* encodingRecordsFile(
  trace: Trace,
  notes: readonly LeftOut[] = [],
): Steps<Uint8Array<ArrayBuffer>> {
  const { version, records } = yield* partOf(checkingRecords(trace, true), 0, 0.1);
  return bytesOfFile(yield* partOf(encodingRecords({ trace: { version, records }, notes }), 0.1, 1));
}

/** Returns the bytes of the file. @throws TraceError if a file of these bytes would not open again. */
export function bytesOfFile({ bytes, unpacked, memory }: EncodedTrace): EncodedTrace["bytes"] {
  if (unpacked > traceLimits.unpackedFile) {
    throw new TraceError(
      `The file would unpack to ${unpacked} bytes and values; the limit is ${traceLimits.unpackedFile}. Make a shorter run.`,
    );
  }
  if (memory > traceLimits.memory) throw new TraceError(tooMuchToOpen("file", memory));
  return bytes;
}

/** The message for a file or link that would not open again. */
export function tooMuchToOpen(what: "file" | "link", memory: number): string {
  return `The ${what} would take ${Math.ceil(memory / 1e6)} MB of memory to open, and the limit is ${traceLimits.memory / 1e6} MB. Make a shorter run.`;
}
