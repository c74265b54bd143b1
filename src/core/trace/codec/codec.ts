/** Converts a trace to the bytes of a `.trace` file and back, without loss. */
import { type ResumableWork, runToEnd, scaleProgress } from "../../base/resumable-work.ts";
import type { Trace } from "../format/format.ts";
import type { TraceLayers } from "../format/format-layers.ts";
import type { LeftOut } from "../format/left-out.ts";
import { traceLimits } from "../format/limits.ts";
import { checkingOwnTrace } from "../parse/parse.ts";
import { codingLayers } from "./code-layers.ts";
import type { UnpackBudget } from "./column-reader.ts";
import type { ContainerBytes } from "./container.ts";
import { checkedFileBytes, type EncodedTrace, encodingRecords } from "./encoding-records.ts";
import type { TextPacker } from "./pack.ts";
import { layersCodec } from "./reading-layers.ts";
import { checkFileSize, readingTrace } from "./reading-trace.ts";
import { createTraceCollector, type OpenedTrace } from "./trace-sink.ts";

/**
 * In steps: writes a valid trace as columns and packs them. @param mixing the encoder of short texts, for a link; null for a
 * file.
 */
export function encodingTrace(
  opened: OpenedTrace,
  mixing: TextPacker | null = null,
): ResumableWork<EncodedTrace> {
  return encodingRecords(opened, mixing, codingLayers);
}

/** Like `encodingTrace`, in one go. */
export function encodeTrace(opened: OpenedTrace, mixing: TextPacker | null = null): EncodedTrace {
  return runToEnd(encodingTrace(opened, mixing));
}

/**
 * In steps: reads a trace from untrusted bytes. `budget` limits how much may be unpacked, and so the work; afterwards, its
 * remainder tells how much was used.
 * @throws TraceError, and no other error, if the bytes are not a valid trace.
 */
export function* decodingTrace(source: ContainerBytes, budget: UnpackBudget): ResumableWork<OpenedTrace> {
  const collected = createTraceCollector();
  const optional: { layers?: TraceLayers } = {};
  const take = (found: TraceLayers) => {
    optional.layers = found;
  };
  yield* readingTrace(source, budget, { ...collected, layers: { ...layersCodec, take } });
  const { trace, notes } = collected.opened();
  return { trace: { ...trace, ...optional }, notes };
}

/** Like `decodingTrace`, in one go. */
export function decodeTrace(bytes: Uint8Array, budget: UnpackBudget): OpenedTrace {
  return runToEnd(decodingTrace({ bytes }, budget));
}

/**
 * The bytes of a `.trace` file: everything in the trace, exactly. `notes`: parts that the trace lacks, if it came from a link.
 * @throws TraceError if the file could not be opened again: the trace is invalid, or above a limit.
 */
export function encodeTraceFile(trace: Trace, notes: readonly LeftOut[] = []): Uint8Array<ArrayBuffer> {
  return runToEnd(encodingTraceFile(trace, notes));
}

/** Like `encodeTraceFile`, in steps. */
export function* encodingTraceFile(
  trace: Trace,
  notes: readonly LeftOut[] = [],
): ResumableWork<Uint8Array<ArrayBuffer>> {
  const checked = yield* scaleProgress(checkingOwnTrace(trace), 0, 0.1);
  return checkedFileBytes(yield* scaleProgress(encodingTrace({ trace: checked, notes }), 0.1, 1));
}

/**
 * Decodes a `.trace` file.
 * @throws TraceError if the bytes are not a valid trace; TraceVersionError for a trace from a newer Midtoken.
 */
export function decodeTraceFile(bytes: Uint8Array): OpenedTrace {
  return runToEnd(decodingTraceFile(bytes));
}

/** Like `decodeTraceFile`, in steps. */
export function decodingTraceFile(bytes: Uint8Array): ResumableWork<OpenedTrace> {
  checkFileSize(bytes.length);
  return decodingTrace({ bytes }, { left: traceLimits.unpackedFile });
}
