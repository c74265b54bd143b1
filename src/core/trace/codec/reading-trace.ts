/** Reads the records of a trace from bytes, one by one, each checked together with all earlier records. */
import { type ResumableWork, scaleProgress, type WaitingWork } from "../../base/resumable-work.ts";
import { traceLimits } from "../format/limits.ts";
import { memoryWhileReading } from "../format/memory.ts";
import { TraceError } from "../format/trace-error.ts";
import { createRecordCheck } from "../parse/parse-records.ts";
import { notTheRequest } from "../parse/references.ts";
import { codingTrace, type DecodedTraceSink } from "./code-trace.ts";
import { createColumnReader, type UnpackBudget } from "./column-reader.ts";
import { type ContainerBytes, readingContainer } from "./container.ts";
import { inflatingNatively } from "./inflating-natively.ts";
import type { Inflating } from "./packing.ts";
import { columnKeys } from "./sections.ts";
import type { TraceSink } from "./trace-sink.ts";

/**
 * In steps: reads a trace from untrusted bytes, record by record. `budget` limits how much may be unpacked, and so the work;
 * afterwards, its remainder tells how much was used. At any time, `sink` has received the valid beginning of a trace, and at the end of the
 * steps the whole trace.
 * @throws TraceError, and no other error, from any step, if the bytes are not a valid trace.
 */
export function readingTrace(
  source: ContainerBytes,
  budget: UnpackBudget,
  sink: TraceSink,
): ResumableWork<void>;
export function readingTrace(
  source: ContainerBytes,
  budget: UnpackBudget,
  sink: TraceSink,
  inflate: Inflating,
): WaitingWork<void>;
export function* readingTrace(
  source: ContainerBytes,
  budget: UnpackBudget,
  sink: TraceSink,
  inflate?: Inflating,
): WaitingWork<void> {
  const columns = yield* scaleProgress(readingContainer(source, budget, inflate), 0, toUnpack);
  const size = [...columns.values()].flat().reduce((sum, { length }) => sum + length, 0);
  if (!sink.layers) for (const key of columnKeys("layers")) columns.delete(key);
  const reader = createColumnReader(columns, budget);
  reader.hold(memoryWhileReading(size));
  const checked = checkingSink(sink);
  yield* scaleProgress(codingTrace(reader, undefined, checked, sink.layers?.code), toUnpack, 1);
  yield* checked.end();
  reader.finish();
}

/** The share of the reading time that unpacking takes. */
const toUnpack = 0.1;

/** Checks each record together with all earlier records, and passes it on. */
function checkingSink(sink: TraceSink): DecodedTraceSink & { end(): ResumableWork<void> } {
  let check: ReturnType<typeof createRecordCheck> | null = null;
  let layers: unknown;
  let emitted = 0;
  return {
    begin(notes, count) {
      sink.begin(notes);
      check = createRecordCheck(count, true);
      if (count === 0) throw notTheRequest();
    },
    take(record) {
      if (!check) throw new Error("A record came before the trace began.");
      const checked = check(record);
      emitted += checked.type === "added" ? checked.tokens.length : 0;
      sink.take(checked);
    },
    layers(value) {
      layers = value;
    },
    *end() {
      if (layers === undefined || !sink.layers) return;
      sink.layers.take(yield* scaleProgress(sink.layers.check(layers, emitted, true), 1, 1));
    },
  };
}

/** Like `readingTrace`, for a `.trace` file, and with the browser's own decompression. */
export function readingTraceFile(bytes: Uint8Array, sink: TraceSink): WaitingWork<void> {
  checkFileSize(bytes.length);
  return readingTrace({ bytes }, { left: traceLimits.unpackedFile }, sink, inflatingNatively);
}

/** Call before the file is read. @throws TraceError for a file of more bytes than Midtoken opens. */
export function checkFileSize(bytes: number): void {
  if (bytes > traceLimits.fileBytes) {
    throw new TraceError(`The file has ${bytes} bytes; the limit is ${traceLimits.fileBytes}.`);
  }
}
