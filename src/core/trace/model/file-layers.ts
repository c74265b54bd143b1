/** What layers said at the steps of a run, where it was read from a file that has it. It is no record, so it stands beside the model. */
import type { TraceLayers } from "../format/format-layers.ts";
import type { TraceModel } from "./trace-model.ts";

const ofModels = new WeakMap<TraceModel, TraceLayers>();

export function setFileLayers(model: TraceModel, layers: TraceLayers): void {
  ofModels.set(model, layers);
}

/** Null where the run came from elsewhere, or its file has none. */
export function fileLayers(model: TraceModel): TraceLayers | null {
  return ofModels.get(model) ?? null;
}
