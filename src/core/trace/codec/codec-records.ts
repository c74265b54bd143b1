/**
 * Records ↔ bytes, without loss: what a link holds, and a `.trace` file without what its layers said. With that: codec.ts, whose code
 * those need not fetch who never have it.
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

/** A trace, and what was left out of it before. */
export interface OpenedTrace {
  readonly trace: Trace;
  readonly notes: readonly LeftOut[];
}

/** A trace in bytes, and what unpacking them will cost. */
export interface EncodedTrace extends Container {
  readonly unpacked: number;
  /** Bytes of memory that it will take: see `memoryOf`. */
  readonly memory: number;
}

/** In steps: a sound trace as columns, packed. @param mixing for a link. @param codeLayers writes what layers said; left out without it */
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
 * In steps: records from bytes that nobody vouches for. `budget` bounds what may be unpacked, and with it the work; what is
 * left of it says how much was. @param layers takes what layers said; skipped without it
 * @throws TraceError, and nothing else, for bytes that are no sound trace.
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
 * In steps: the bytes of a `.trace` file of these records. @throws TraceError when it could not be opened again: not sound, or above
 * a limit.
 */
export function* encodingRecordsFile(
  trace: Trace,
  notes: readonly LeftOut[] = [],
): Steps<Uint8Array<ArrayBuffer>> {
  const { version, records } = yield* partOf(checkingRecords(trace, true), 0, 0.1);
  return bytesOfFile(yield* partOf(encodingRecords({ trace: { version, records }, notes }), 0.1, 1));
}

/** @throws TraceError if a file of them would not open again. */
export function bytesOfFile({ bytes, unpacked, memory }: EncodedTrace): EncodedTrace["bytes"] {
  if (unpacked > traceLimits.unpackedFile) {
    throw new TraceError(
      `The file would unpack to ${unpacked} bytes and values, and at most ${traceLimits.unpackedFile} are opened. Make a shorter run.`,
    );
  }
  if (memory > traceLimits.memory) throw new TraceError(tooMuchToOpen("file", memory));
  return bytes;
}

/** Says that a file or link would not open again. */
export function tooMuchToOpen(what: "file" | "link", memory: number): string {
  return `The ${what} would take ${Math.ceil(memory / 1e6)} MB of memory to open, and the limit is ${traceLimits.memory / 1e6} MB. Make a shorter run.`;
}
