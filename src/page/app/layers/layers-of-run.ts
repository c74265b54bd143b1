/** The saved layers of the shown run, for its file. */
import type { TraceLayers } from "../../../core/trace/format/format-layers.ts";
import type { Stores } from "../store/stores.ts";
import { layersReader } from "./layers-store.ts";
import { traceLayers } from "./trace-layers.ts";

/** Null if no layers of the run are cached. */
export function layersOfRun(stores: Stores): TraceLayers | null {
  return traceLayers(layersReader(stores).all);
}
