/** The sentences that refuse a layer of a mod. A separate file, because every page that runs mods loads the rest. */
import { describeValue } from "../base/show.ts";
import { includesLayer, isLayer, type LayerList } from "./activation-needs.ts";

/**
 * Why a mod cannot work with a layer, and what to write instead; null if it can.
 * @param layerCount of the model; null if it is not known
 */
export function whyNotLayer(
  layer: unknown,
  {
    option,
    declared,
    layerCount,
  }: {
    readonly option: "layers" | "lens";
    readonly declared: LayerList;
    readonly layerCount: number | null;
  },
): string | null {
  if (!isLayer(layer)) {
    return `the layer is ${describeValue(layer)}: layers are whole numbers, counted from 0${layerCount === null ? "" : ` to ${layerCount - 1}`}.`;
  }
  if (layerCount !== null && layer >= layerCount) {
    return `there is no layer ${layer}: the model has ${layerCount} layers, 0 to ${layerCount - 1}.`;
  }
  if (includesLayer(declared, layer)) return null;
  const cure = [...declared, layer].sort((a, b) => Number(a) - Number(b));
  return `layer ${layer} was not declared: write mod({ ${option}: [${cure.join(", ")}], … }).`;
}
