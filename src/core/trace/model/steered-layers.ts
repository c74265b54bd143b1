/** Describes the vectors that steered the model, layer by layer. Names are untrusted: show them as text. */
import { formatNumber, listed } from "../../base/number-text.ts";
import { namesOf } from "./steered-labels.ts";
import type { Steered } from "./steering.ts";
import type { TraceModel } from "./trace-model.ts";
import { modName } from "./trace-view.ts";

/** The steering of a pass, layer by layer, as a sentence. */
export function steeredSentence(model: TraceModel, { mods, patches }: Steered): string {
  const steered = mods.slice(0, mostNamed).map(({ mod, vectors }, place) => {
    const verb = place === 0 ? " steered" : "";
    return `${modName(model, mod)}${verb} ${layersOf(vectors)}`;
  });
  const did = [
    steered.length > 0 && listed(steered, mods.length - steered.length),
    patches.length > 0 && `${listed(namesOf(model, patches))} replaced the state of ${layersOf(patches)}`,
  ];
  return `While the model chose this token, ${did.filter(Boolean).join("; ")}.`;
}

/** The most mods, and the most layers of each, that a sentence names. */
const mostNamed = 8;

/** Names layers with their factors: `layer 12 (times 2)`, `layers 3, 10 (times -0.5) and 14`. */
export function layersOf(all: readonly { readonly layer: number; readonly scale?: number }[]): string {
  const named = all
    .slice(0, mostNamed)
    .map(({ layer, scale = 1 }) => `${layer}${scale === 1 ? "" : ` (times ${formatNumber(scale)})`}`);
  return `${all.length === 1 ? "layer" : "layers"} ${listed(named, all.length - named.length)}`;
}
