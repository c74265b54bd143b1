/**
 * The recorded layers of a run that was read from a file. Layers are no record of the trace, so they are stored beside the model.
 */
import type { TraceLayers } from "../format/format-layers.ts";
import type { TraceModel } from "./trace-model.ts";

const ofModels = new WeakMap<TraceModel, TraceLayers>();

export function setRecordedLayers(model: TraceModel, layers: TraceLayers): void {
  ofModels.set(model, layers);
}

/** The recorded layers; null if the run was not read from a file, or if its file has no layers. */
export function recordedLayersOf(model: TraceModel): TraceLayers | null {
  return ofModels.get(model) ?? null;
}
