/** Names layers in a sentence. */
import { formatNumber, joinNames } from "../../base/number-text.ts";

/** The most layers that a sentence names. */
const mostNamed = 8;

/** Layers with their factors: `layer 12 (scale 2)`, `layers 3, 10 (scale -0.5) and 14`. */
export function describeLayers(all: readonly { readonly layer: number; readonly scale?: number }[]): string {
  const named = all
    .slice(0, mostNamed)
    .map(({ layer, scale = 1 }) => `${layer}${scale === 1 ? "" : ` (scale ${formatNumber(scale)})`}`);
  return `${all.length === 1 ? "layer" : "layers"} ${joinNames(named, all.length - named.length)}`;
}
