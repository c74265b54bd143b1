/** Lists of layers, as mods and queries name them. */
import type { LayerList } from "../../sdk/mod.ts";

/** The layers of a list that the model has, each once, in ascending order. */
export function layersIn(list: LayerList, layerCount: number): number[] {
  const named = list === "all" ? null : new Set(list);
  return Array.from({ length: layerCount }, (_, layer) => layer).filter((layer) => named?.has(layer) ?? true);
}

/** The layers of all lists, as `layersIn`. */
export function layersInAny(lists: readonly LayerList[], layerCount: number): number[] {
  return layersIn(
    lists.includes("all") ? "all" : lists.flatMap((list) => list as readonly number[]),
    layerCount,
  );
}
