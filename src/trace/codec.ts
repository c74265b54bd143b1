/** A trace ↔ bytes, without loss: what a `.trace` file holds, and what a link holds of a smaller trace. */
import { partOf, runToEnd, type Steps } from "../base/steps.ts";
import { codingLayers } from "./codec/code-layers.ts";
import { codingTrace } from "./codec/code-trace.ts";
import type { UnpackBudget } from "./codec/column-reader.ts";
import { createColumnWriter } from "./codec/column-writer.ts";
import type { Packed } from "./codec/container.ts";
import type { TextEncoding } from "./codec/pack.ts";
import { type Container, writingContainer } from "./codec/writing-container.ts";
import { TRACE_VERSION, type Trace, type TraceRecord } from "./format.ts";
import type { TraceLayers } from "./format-layers.ts";
import type { LeftOut } from "./left-out.ts";
import { traceLimits } from "./limits.ts";
import { checking } from "./parse.ts";
import { layersReading } from "./reading-layers.ts";
import { checkFileSize, memoryMeanwhile, readingTrace } from "./reading-trace.ts";
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
  mixing: TextEncoding | null = null,
): Steps<EncodedTrace> {
  const writer = createColumnWriter();
  yield* partOf(codingTrace(writer, { ...trace, notes }, undefined, codingLayers), 0, 0.3);
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
export function encodeTrace(opened: OpenedTrace, mixing: TextEncoding | null = null): EncodedTrace {
  return runToEnd(encodingTrace(opened, mixing));
}

const sizeOf = (columns: ReadonlyMap<unknown, Uint8Array>): number =>
  [...columns.values()].reduce((sum, { length }) => sum + length, 0);

/**
 * In steps: a trace from bytes that nobody vouches for. `budget` bounds what may be unpacked, and with it the work; what is
 * left of it says how much was.
 * @throws TraceError, and nothing else, for bytes that are no sound trace.
 */
export function* decodingTrace(source: Packed, budget: UnpackBudget): Steps<OpenedTrace> {
  const records: TraceRecord[] = [];
  let notes: readonly LeftOut[] = [];
  const optional: { layers?: TraceLayers } = {};
  yield* readingTrace(source, budget, {
    begin(given) {
      notes = given;
    },
    take: (record) => records.push(record),
    layers: {
      ...layersReading,
      take(found) {
        optional.layers = found;
      },
    },
  });
  return { trace: { version: TRACE_VERSION, records, ...optional }, notes };
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
