/**
 * Converts records to bytes, without loss. A link consists of records only; a `.trace` file may also have recorded layers, which
 * `codec.ts` adds. Callers that never need layers do not load that code.
 */
import { type ResumableWork, scaleProgress } from "../../base/resumable-work.ts";
import type { Trace } from "../format/format.ts";
import type { LeftOut } from "../format/left-out.ts";
import { traceLimits } from "../format/limits.ts";
import { memoryWhileReading } from "../format/memory.ts";
import { TraceError } from "../format/trace-error.ts";
import { checkingRecords } from "../parse/parse-records.ts";
import { codingTrace } from "./code-trace.ts";
import { createColumnWriter } from "./column-writer.ts";
import type { TextPacker } from "./pack.ts";
import type { LayersCoding, OpenedTrace } from "./trace-sink.ts";
import { type WrittenContainer, writingContainer } from "./writing-container.ts";

/** An encoded trace, and the cost of unpacking it. */
export interface EncodedTrace extends WrittenContainer {
  readonly unpacked: number;
  /** Bytes of memory that the opened trace will take: see `traceMemoryBytes`. */
  readonly memory: number;
}

/**
 * In steps: writes a valid trace as columns and packs them.
 * @param mixing the encoder of short texts, for a link; null for a file.
 * @param codeLayers writes the recorded layers; without it, the layers are left out.
 */
export function* encodingRecords(
  { trace, notes }: OpenedTrace,
  mixing: TextPacker | null = null,
  codeLayers?: LayersCoding,
): ResumableWork<EncodedTrace> {
  const writer = createColumnWriter();
  yield* scaleProgress(codingTrace(writer, { ...trace, notes }, undefined, codeLayers), 0, 0.3);
  const columns = writer.columns();
  const columnBytes = sizeOf(columns);
  const container = yield* scaleProgress(writingContainer(columns, mixing), 0.3, 1);
  return {
    ...container,
    unpacked: columnBytes + writer.spent,
    memory: writer.held + memoryWhileReading(columnBytes),
  };
}

const sizeOf = (columns: ReadonlyMap<unknown, Uint8Array>): number =>
  [...columns.values()].reduce((sum, { length }) => sum + length, 0);

/**
 * In steps: the bytes of a `.trace` file of these records.
 * @throws TraceError if the file could not be opened again: the trace is invalid, or above a limit.
 */
export function* encodingRecordsFile(
  trace: Trace,
  notes: readonly LeftOut[] = [],
): ResumableWork<Uint8Array<ArrayBuffer>> {
  const { version, records } = yield* scaleProgress(checkingRecords(trace, true), 0, 0.1);
  return checkedFileBytes(
    yield* scaleProgress(encodingRecords({ trace: { version, records }, notes }), 0.1, 1),
  );
}

/** Returns the bytes of the file. @throws TraceError if a file of these bytes would not open again. */
export function checkedFileBytes({ bytes, unpacked, memory }: EncodedTrace): EncodedTrace["bytes"] {
  if (unpacked > traceLimits.unpackedFile) {
    throw new TraceError(
      `Unpacked, the file would have ${unpacked} bytes and values; the limit is ${traceLimits.unpackedFile}. Record a shorter run.`,
    );
  }
  if (memory > traceLimits.memory) throw new TraceError(tooLargeToOpenMessage("file", memory));
  return bytes;
}

/** The message for a file or link that would not open again. */
export function tooLargeToOpenMessage(what: "file" | "link", memory: number): string {
  return `The ${what} would take ${Math.ceil(memory / 1e6)} MB of memory to open, but the limit is ${traceLimits.memory / 1e6} MB. Record a shorter run.`;
}
