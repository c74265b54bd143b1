/** The model of a recorded trace while it is read: it can be looked at from its first record on. */
import type { WaitingSteps } from "../../base/steps.ts";
import { type LayersReading, readingTraceFile, type TraceSink } from "../codec/reading-trace.ts";
import type { TraceLayers } from "../format/format-layers.ts";
import { setFileLayers } from "../model/file-layers.ts";
import { createTraceModel, type TraceModel } from "../model/trace-model.ts";

/** A trace that is read in steps. */
export interface Opening<Reading extends WaitingSteps<TraceModel> = WaitingSteps<TraceModel>> {
  /**
   * The trace read so far, each record checked with all earlier ones; null before the first record. The trace may
   * still be refused for its last record, so nothing of it is saved, shared or continued before the steps have ended.
   */
  readonly model: TraceModel | null;
  /** Ends with the whole model. @throws TraceError, and nothing else, from any step. */
  readonly steps: Reading;
  /**
   * Empties what was read of a trace that is refused or left: whatever showed it may hold it until the next one is drawn, which
   * may be as long.
   */
  release(): void;
}

/** Opens the bytes of a trace file, which nobody vouches for. @param layers `layersReading`, where what layers said is wanted too */
export function openingFile(bytes: Uint8Array, layers?: LayersReading): Opening {
  const growing = createGrowing(layers);
  function* steps(): WaitingSteps<TraceModel> {
    yield* readingTraceFile(bytes, growing);
    return growing.whole();
  }
  return withSteps(growing, steps());
}

export interface Growing extends TraceSink {
  model(): TraceModel | null;
  whole(): TraceModel;
  release(): void;
}

/** A model that takes what is read. */
export function createGrowing(layers?: LayersReading): Growing {
  let model = createTraceModel();
  return {
    begin(notes) {
      model = createTraceModel(notes);
    },
    take: (record) => model.append([record]),
    ...(layers && { layers: { ...layers, take: (value: TraceLayers) => setFileLayers(model, value) } }),
    model: () => (model.records.length > 0 ? model : null),
    whole: () => model,
    release() {
      const { records, events, live, spans, interventions, tokens } = model;
      for (const list of [records, events, live, spans, interventions, ...Object.values(tokens)])
        (list as unknown[]).length = 0;
      model = createTraceModel();
    },
  };
}

export const withSteps = <Reading extends WaitingSteps<TraceModel>>(growing: Growing, steps: Reading) => ({
  get model() {
    return growing.model();
  },
  steps,
  release: growing.release,
});
