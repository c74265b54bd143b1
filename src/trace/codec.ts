/** A trace ↔ bytes, without loss: what a `.trace` file holds, and what a link holds of a smaller trace. */
import { codeTrace } from "./codec/code-trace.ts";
import { createColumnReader, type UnpackBudget } from "./codec/column-reader.ts";
import { createColumnWriter } from "./codec/column-writer.ts";
import { type Container, readContainer, writeContainer } from "./codec/container.ts";
import type { Trace } from "./format.ts";
import type { LeftOut } from "./left-out.ts";
import { traceLimits } from "./limits.ts";
import { parseTrace } from "./parse.ts";
import { TraceError } from "./trace-error.ts";

/** A trace, and what was left out of it before. */
export interface OpenedTrace {
  readonly trace: Trace;
  readonly notes: readonly LeftOut[];
}

/** A trace in bytes, and what unpacking them will cost. */
export interface EncodedTrace extends Container {
  readonly unpacked: number;
}

/** A sound trace as columns, packed. */
export function encodeTrace({ trace, notes }: OpenedTrace): EncodedTrace {
  const writer = createColumnWriter();
  codeTrace(writer, { records: trace.records, notes });
  const columns = writer.columns();
  const unpacked = [...columns.values()].reduce((sum, { length }) => sum + length, writer.spent);
  return { ...writeContainer(columns), unpacked };
}

/**
 * A trace from bytes that nobody vouches for. `budget` bounds what may be unpacked, and with it the work; what is
 * left of it says how much was.
 * @throws TraceError, and nothing else, for bytes that are no sound trace.
 */
export function decodeTrace(bytes: Uint8Array, budget: UnpackBudget): OpenedTrace {
  const { version, columns } = readContainer(bytes, budget);
  const reader = createColumnReader(version, columns, budget);
  const { records, notes } = codeTrace(reader, undefined);
  reader.finish();
  return { trace: parseTrace({ version, records }), notes };
}

/**
 * The bytes of a `.trace` file: everything in the trace, exactly. `notes`: what it lacks, if it came from a link.
 * @throws TraceError when the trace is not one that could be opened again: not sound, or above a limit.
 */
export function encodeTraceFile(trace: Trace, notes: readonly LeftOut[] = []): Uint8Array<ArrayBuffer> {
  const { bytes, unpacked } = encodeTrace({ trace: parseTrace(trace), notes });
  if (unpacked > traceLimits.unpackedFile) {
    throw new TraceError(
      `The file would unpack to ${unpacked} bytes and values, and at most ${traceLimits.unpackedFile} are opened. Make a shorter run.`,
    );
  }
  return bytes;
}

/** @throws TraceError for bytes that are no sound trace; TraceVersionError for one from a newer Midtoken. */
export function decodeTraceFile(bytes: Uint8Array): OpenedTrace {
  if (bytes.length > traceLimits.fileBytes) {
    throw new TraceError(
      `The file has ${bytes.length} bytes, and at most ${traceLimits.fileBytes} are opened.`,
    );
  }
  return decodeTrace(bytes, { left: traceLimits.unpackedFile });
}
