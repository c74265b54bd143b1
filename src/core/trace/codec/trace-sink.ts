/** Where the parts of a trace go while it is read. */
import type { ResumableWork } from "../../base/resumable-work.ts";
import { TRACE_VERSION, type Trace, type TraceRecord } from "../format/format.ts";
import type { TraceLayers } from "../format/format-layers.ts";
import type { LeftOut } from "../format/left-out.ts";
import type { ColumnIo } from "./column-io.ts";

/** The type of `codingLayers`. Only callers that need recorded layers load that code. */
export type LayersCoding = (
  io: ColumnIo,
  value: TraceLayers | undefined,
) => ResumableWork<TraceLayers | undefined>;

/** Receives the parts of a trace while it is read. */
export interface TraceSink {
  /** Called once, before the first record. */
  begin(notes: readonly LeftOut[]): void;
  /** Takes a record that was checked together with all earlier records. A later record may still be refused. */
  take(record: TraceRecord): void;
  /** Receives the recorded layers, after the last record, if the trace has any. Without this field, layers are skipped. */
  readonly layers?: LayersCodec & { take(value: TraceLayers): void };
}

/** The type of `layersCodec`: the functions that read and check recorded layers. */
export interface LayersCodec {
  readonly code: LayersCoding;
  readonly check: (value: unknown, emitted: number, isOurs: boolean) => ResumableWork<TraceLayers>;
}

/** A decoded trace, and the parts that were left out of it before it was encoded. */
export interface OpenedTrace {
  readonly trace: Trace;
  readonly notes: readonly LeftOut[];
}

/** A sink that collects a whole trace, without its layers. */
export interface TraceCollector extends TraceSink {
  /** The trace. Call after the last record. */
  opened(): OpenedTrace;
}

export function createTraceCollector(): TraceCollector {
  const records: TraceRecord[] = [];
  let notes: readonly LeftOut[] = [];
  return {
    begin(given) {
      notes = given;
    },
    take: (record) => records.push(record),
    opened: () => ({ trace: { version: TRACE_VERSION, records }, notes }),
  };
}
