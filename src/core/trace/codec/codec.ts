/** A trace ↔ bytes, without loss: what a `.trace` file holds. */
import { partOf, runToEnd, type Steps } from "../../base/steps.ts";
import type { Trace } from "../format/format.ts";
import type { TraceLayers } from "../format/format-layers.ts";
import type { LeftOut } from "../format/left-out.ts";
import { traceLimits } from "../format/limits.ts";
import { checking } from "../parse/parse.ts";
import { codingLayers } from "./code-layers.ts";
import {
  bytesOfFile,
  decodingRecords,
  type EncodedTrace,
  encodingRecords,
  type OpenedTrace,
} from "./codec-records.ts";
import type { UnpackBudget } from "./column-reader.ts";
import type { Packed } from "./container.ts";
import type { TextEncoding } from "./pack.ts";
import { layersReading } from "./reading-layers.ts";
import { checkFileSize } from "./reading-trace.ts";

export type { EncodedTrace, OpenedTrace } from "./codec-records.ts";

/** In steps: a sound trace as columns, packed. @param mixing for a link. */
export function encodingTrace(opened: OpenedTrace, mixing: TextEncoding | null = null): Steps<EncodedTrace> {
  return encodingRecords(opened, mixing, codingLayers);
}

/** The same at once. */
export function encodeTrace(opened: OpenedTrace, mixing: TextEncoding | null = null): EncodedTrace {
  return runToEnd(encodingTrace(opened, mixing));
}

/**
 * In steps: a trace from bytes that nobody vouches for. `budget` bounds what may be unpacked, and with it the work; what is
 * left of it says how much was.
 * @throws TraceError, and nothing else, for bytes that are no sound trace.
 */
export function* decodingTrace(source: Packed, budget: UnpackBudget): Steps<OpenedTrace> {
  const optional: { layers?: TraceLayers } = {};
  const { trace, notes } = yield* decodingRecords(source, budget, {
    ...layersReading,
    take(found) {
      optional.layers = found;
    },
  });
  return { trace: { ...trace, ...optional }, notes };
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
  return bytesOfFile(yield* partOf(encodingTrace({ trace: checked, notes }), 0.1, 1));
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
