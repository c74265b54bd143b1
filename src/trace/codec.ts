/** A trace ↔ bytes, without loss: what a `.trace` file holds, and what a link holds of a smaller trace. */
import { partOf, runToEnd, type Steps, type WaitingSteps } from "../base/steps.ts";
import { type CodedSink, codingTrace } from "./codec/code-trace.ts";
import { createColumnReader, type UnpackBudget } from "./codec/column-reader.ts";
import { createColumnWriter } from "./codec/column-writer.ts";
import { type Container, type Packed, readingContainer, writingContainer } from "./codec/container.ts";
import { inflatingNatively } from "./codec/inflating-natively.ts";
import type { Inflating, TextCoder } from "./codec/packing.ts";
import { TRACE_VERSION, type Trace, type TraceRecord } from "./format.ts";
import type { LeftOut } from "./left-out.ts";
import { traceLimits } from "./limits.ts";
import { createMigration, type Migration } from "./migrate.ts";
import { checking, createRecordCheck } from "./parse.ts";
import { notTheRequest } from "./references.ts";
import { TraceError } from "./trace-error.ts";

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

/** In steps: a sound trace as columns, packed. @param mixing for a link. */
export function* encodingTrace(
  { trace, notes }: OpenedTrace,
  mixing: TextCoder | null = null,
): Steps<EncodedTrace> {
  const writer = createColumnWriter();
  yield* partOf(codingTrace(writer, { records: trace.records, notes }), 0, 0.3);
  const columns = writer.columns();
  const columnBytes = sizeOf(columns);
  const container = yield* partOf(writingContainer(columns, mixing), 0.3, 1);
  return {
    ...container,
    unpacked: columnBytes + writer.spent,
    memory: writer.held + memoryMeanwhile(columnBytes),
  };
}

/** The same at once. */
export function encodeTrace(opened: OpenedTrace, mixing: TextCoder | null = null): EncodedTrace {
  return runToEnd(encodingTrace(opened, mixing));
}

const sizeOf = (columns: ReadonlyMap<unknown, Uint8Array>): number =>
  [...columns.values()].reduce((sum, { length }) => sum + length, 0);

/** Columns are let go as records are made of them, so that all of both are never there at once: half of the columns is counted. */
const memoryMeanwhile = (columnBytes: number): number => Math.ceil(columnBytes / 2);

/**
 * In steps: a trace from bytes that nobody vouches for. `budget` bounds what may be unpacked, and with it the work; what is
 * left of it says how much was.
 * @throws TraceError, and nothing else, for bytes that are no sound trace.
 */
export function* decodingTrace(source: Packed, budget: UnpackBudget): Steps<OpenedTrace> {
  const records: TraceRecord[] = [];
  let notes: readonly LeftOut[] = [];
  yield* readingTrace(source, budget, {
    begin(given) {
      notes = given;
    },
    take: (record) => records.push(record),
  });
  return { trace: { version: TRACE_VERSION, records }, notes };
}

/** Where the parts of a trace go while it is read. */
export interface TraceSink {
  /** Once, before the first record. */
  begin(notes: readonly LeftOut[]): void;
  /** A record that was checked with all before it. What comes after it may still be refused. */
  take(record: TraceRecord): void;
}

/**
 * The same, record by record: what `sink` has got is a sound beginning of a trace, and the whole of it once the steps have
 * ended.
 * @throws as `decodingTrace` does, from any step.
 */
export function readingTrace(source: Packed, budget: UnpackBudget, sink: TraceSink): Steps<void>;
export function readingTrace(
  source: Packed,
  budget: UnpackBudget,
  sink: TraceSink,
  inflate: Inflating,
): WaitingSteps<void>;
export function* readingTrace(
  source: Packed,
  budget: UnpackBudget,
  sink: TraceSink,
  inflate?: Inflating,
): WaitingSteps<void> {
  const { version, columns } = yield* partOf(readingContainer(source, budget, inflate), 0, toUnpack);
  const size = [...columns.values()].flat().reduce((sum, { length }) => sum + length, 0);
  const reader = createColumnReader(version, columns, budget);
  reader.hold(memoryMeanwhile(size));
  const checked = checkingSink(version, sink);
  yield* partOf(codingTrace(reader, undefined, checked), toUnpack, 1);
  checked.end();
  reader.finish();
}

/** The share of the time for reading a trace that its unpacking takes. */
const toUnpack = 0.1;

/** Takes records as their version has them, and hands them on as the newest has them, checked. */
function checkingSink(version: number, sink: TraceSink): CodedSink & { end(): void } {
  let migration: Migration | null = null;
  return {
    begin(notes, count) {
      sink.begin(notes);
      const check = createRecordCheck(count, true);
      migration = createMigration(version, (record) => sink.take(check(record)));
      if (count === 0) throw notTheRequest();
    },
    take: (record) => migration?.take(record),
    end: () => migration?.end(),
  };
}

/** The same at once. */
export function decodeTrace(bytes: Uint8Array, budget: UnpackBudget): OpenedTrace {
  return runToEnd(decodingTrace({ bytes }, budget));
}

/**
 * The bytes of a `.trace` file: everything in the trace, exactly. `notes`: what it lacks, if it came from a link.
 * @throws TraceError when the trace is not one that could be opened again: not sound, or above a limit.
 */
export function encodeTraceFile(trace: Trace, notes: readonly LeftOut[] = []): Uint8Array<ArrayBuffer> {
  return runToEnd(encodingTraceFile(trace, notes));
}

/** The same in steps. */
export function* encodingTraceFile(
  trace: Trace,
  notes: readonly LeftOut[] = [],
): Steps<Uint8Array<ArrayBuffer>> {
  const checked = yield* partOf(checking(trace), 0, 0.1);
  const { bytes, unpacked, memory } = yield* partOf(encodingTrace({ trace: checked, notes }), 0.1, 1);
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
  return `The ${what} would take ${Math.ceil(memory / 1e6)} MB of memory to open, and at most ${traceLimits.memory / 1e6} are given to one. Make a shorter run.`;
}

/** @throws TraceError for bytes that are no sound trace; TraceVersionError for one from a newer Midtoken. */
export function decodeTraceFile(bytes: Uint8Array): OpenedTrace {
  return runToEnd(decodingTraceFile(bytes));
}

/** The same in steps. */
export function decodingTraceFile(bytes: Uint8Array): Steps<OpenedTrace> {
  checkFileSize(bytes.length);
  return decodingTrace({ bytes }, { left: traceLimits.unpackedFile });
}

/** The same, record by record as `readingTrace`, with what the browser has to unpack it. */
export function readingTraceFile(bytes: Uint8Array, sink: TraceSink): WaitingSteps<void> {
  checkFileSize(bytes.length);
  return readingTrace({ bytes }, { left: traceLimits.unpackedFile }, sink, inflatingNatively);
}

/** @throws TraceError for a file of more bytes than are opened. Ask before it is read. */
export function checkFileSize(bytes: number): void {
  if (bytes > traceLimits.fileBytes) {
    throw new TraceError(`The file has ${bytes} bytes, and at most ${traceLimits.fileBytes} are opened.`);
  }
}
