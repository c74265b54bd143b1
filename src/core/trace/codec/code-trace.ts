/** Converts a whole trace to columns and back. */
import { type ResumableWork, scaleProgress, workPerStep } from "../../base/resumable-work.ts";
import type { TraceRecord } from "../format/format.ts";
import type { TraceLayers } from "../format/format-layers.ts";
import { type LeftOut, leftOutKinds } from "../format/left-out.ts";
import { traceLimits } from "../format/limits.ts";
import { traceMemoryBytes } from "../format/memory.ts";
import { TraceError } from "../format/trace-error.ts";
import { type CodingContext, createCodingContext } from "./code-context.ts";
import { codeModCall } from "./code-mod-call.ts";
import {
  codeAdded,
  codeAdjusted,
  codeBacktracked,
  codeFinished,
  codeForwardPass,
  codePrefilled,
  codeSampled,
  codeScored,
} from "./code-records.ts";
import { codeRequest } from "./code-request.ts";
import type { ColumnIo } from "./column-io.ts";
import { updateContext } from "./follow-record.ts";
import type { LayersCoding } from "./trace-sink.ts";

const recordTypes = [
  "forwardPass",
  "sampled",
  "added",
  "modCall",
  "adjusted",
  "scored",
  "backtracked",
  "prefilled",
  "finished",
  "request",
] as const satisfies readonly TraceRecord["type"][];

/** Records that belong to an earlier event and begin no event of their own. For mod calls, see `codeModCall`. */
const withoutEvent: ReadonlySet<TraceRecord["type"]> = new Set(["modCall", "adjusted", "scored"]);

/** The records of a trace, and notes that say which parts of the records were left out before encoding. */
export interface TraceToEncode {
  readonly records: readonly TraceRecord[];
  readonly notes: readonly LeftOut[];
  readonly layers?: TraceLayers | undefined;
}

/** Receives the parts of a trace as they are read. */
export interface DecodedTraceSink {
  /** Called once, before the first record. */
  begin(notes: readonly LeftOut[], count: number): void;
  take(record: TraceRecord): void;
  /** Called after the last record if the trace has recorded layers. Nothing in `value` has been checked. */
  layers(value: unknown): void;
}

/** In steps: writes the records of `value`, or reads records into `sink`. With `codeLayers`, also the recorded layers. */
export function* codingTrace(
  io: ColumnIo,
  value: TraceToEncode | undefined,
  sink?: DecodedTraceSink,
  codeLayers?: LayersCoding,
): ResumableWork<void> {
  const context = createCodingContext();
  const notes = codeNotes(io, value?.notes);
  const all = value?.records;
  const count = io.whole("settings.numbers", all?.length);
  if (count > traceLimits.records)
    throw new TraceError(`The trace is damaged: it says it has ${count} records.`);
  sink?.begin(notes, count);
  let work = 0;
  for (let number = 0; number < count; number += 1) {
    const given = all?.[number];
    io.spend(1);
    const type = number === 0 ? "request" : io.choice("events.types", given?.type, recordTypes);
    io.hold(traceMemoryBytes.record + (withoutEvent.has(type) ? 0 : traceMemoryBytes.event));
    const before = io.entered;
    const record = codeRecord(io, context, type, given);
    updateContext(context, record);
    const entries = io.entered - before;
    if (entries > traceLimits.recordEntries) {
      throw new TraceError(
        `Record ${number} of the trace has ${entries} entries; the limit is ${traceLimits.recordEntries}.`,
      );
    }
    work += 1 + entries;
    // A long record counts as a step of its own.
    if (entries >= workPerStep) yield number / count;
    sink?.take(record);
    if (work < workPerStep) continue;
    work = 0;
    yield number / count;
  }
  const layers = codeLayers && (yield* scaleProgress(codeLayers(io, value?.layers), 1, 1));
  if (layers) sink?.layers(layers);
}

/** The notes as one number, with a bit for each of `leftOutKinds`. Unknown bits are skipped. */
function codeNotes(io: ColumnIo, value: readonly LeftOut[] | undefined): readonly LeftOut[] {
  const bits = io.whole(
    "settings.numbers",
    value && leftOutKinds.reduce((sum, kind, place) => sum + (value.includes(kind) ? 2 ** place : 0), 0),
  );
  return leftOutKinds.filter((_, place) => Math.floor(bits / 2 ** place) % 2 === 1);
}

function codeRecord(
  io: ColumnIo,
  context: CodingContext,
  type: TraceRecord["type"],
  given: TraceRecord | undefined,
): TraceRecord {
  const as = <Type extends TraceRecord["type"]>(own: Type) =>
    given?.type === own ? (given as Extract<TraceRecord, { type: Type }>) : undefined;
  switch (type) {
    case "request":
      return codeRequest(io, as(type));
    case "prefilled":
      return codePrefilled(io, context, as(type));
    case "forwardPass":
      return codeForwardPass(io, context, as(type));
    case "adjusted":
      return codeAdjusted(io, context, as(type));
    case "modCall":
      return codeModCall(io, context, as(type));
    case "sampled":
      return codeSampled(io, context, as(type));
    case "added":
      return codeAdded(io, context, as(type));
    case "scored":
      return codeScored(io, context, as(type));
    case "backtracked":
      return codeBacktracked(io, context, as(type));
    case "finished":
      return codeFinished(io, context, as(type));
  }
}
