/** The model of a recorded trace while it is read: views can show it from its first record on. */
import type { WaitingWork } from "../../base/resumable-work.ts";
import { readingTraceFile } from "../codec/reading-trace.ts";
import type { LayersCodec, TraceSink } from "../codec/trace-sink.ts";
import type { TraceLayers } from "../format/format-layers.ts";
import { setRecordedLayers } from "../model/file-layers.ts";
import { createTraceModel, type TraceModel } from "../model/trace-model.ts";

/** A trace that is read in steps. */
export interface TraceOpening<Reading extends WaitingWork<TraceModel> = WaitingWork<TraceModel>> {
  /**
   * The trace read so far, each record checked with all earlier ones; null before the first record. A later record may still be
   * refused, so do not save, share or continue the trace before the steps have ended.
   */
  readonly model: TraceModel | null;
  /** The steps of reading, which return the whole model. @throws TraceError, and nothing else, from any step. */
  readonly steps: Reading;
  /**
   * Empties the model of a trace that was refused or closed. A view may keep the model until the next trace is drawn, and both
   * may be large.
   */
  release(): void;
}

/** Opens the untrusted bytes of a trace file. @param layers pass `layersCodec` to read the recorded layers too. */
export function startOpeningFile(bytes: Uint8Array, layers?: LayersCodec): TraceOpening {
  const growing = createGrowingModel(layers);
  function* steps(): WaitingWork<TraceModel> {
    yield* readingTraceFile(bytes, growing);
    return growing.whole();
  }
  return traceOpeningOf(growing, steps());
}

export interface GrowingModel extends TraceSink {
  model(): TraceModel | null;
  whole(): TraceModel;
  release(): void;
}

/** A model that receives the records as they are read. */
export function createGrowingModel(layers?: LayersCodec): GrowingModel {
  let model = createTraceModel();
  return {
    begin(notes) {
      model = createTraceModel(notes);
    },
    take: (record) => model.append([record]),
    ...(layers && { layers: { ...layers, take: (value: TraceLayers) => setRecordedLayers(model, value) } }),
    model: () => (model.records.length > 0 ? model : null),
    whole: () => model,
    release() {
      const { records, events, outputTokens, spans, interventions, tokens } = model;
      for (const list of [records, events, outputTokens, spans, interventions, ...Object.values(tokens)])
        (list as unknown[]).length = 0;
      model = createTraceModel();
    },
  };
}

export const traceOpeningOf = <Reading extends WaitingWork<TraceModel>>(
  growing: GrowingModel,
  steps: Reading,
) => ({
  get model() {
    return growing.model();
  },
  steps,
  release: growing.release,
});
