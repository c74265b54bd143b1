/** The saved layers of the shown run, for its file. */
import type { TraceLayers } from "../../../core/trace/format/format-layers.ts";
import type { Stores } from "../store/stores.ts";
import { layersReaderOf } from "./layers-store.ts";
import { toTraceLayers } from "./trace-layers.ts";

/** Null if no layers of the run are cached. */
export function cachedLayersOfRun(stores: Stores): TraceLayers | null {
  return toTraceLayers(layersReaderOf(stores).all);
}
