/** By which mods the model was steered, in words: after "token 12, sampled, ", and as a sentence. Names are from strangers: show them as text. */
import { formatCount, formatNumber } from "../base/number-text.ts";
import type { Steered } from "./steering.ts";
import type { TraceModel } from "./trace-model.ts";
import { modName } from "./trace-view.ts";

/** `steered by cheerful and terse, patched by echo`. */
export function steeredWords(model: TraceModel, { mods, patches }: Steered): string {
  const steered = namesOf(
    model,
    mods.map(({ mod }) => mod),
  );
  const patched = namesOf(
    model,
    patches.map(({ mod }) => mod),
  );
  return [steered && `steered by ${steered}`, patched && `patched by ${patched}`].filter(Boolean).join(", ");
}

/** What steered the pass, layer by layer, as a sentence. */
export function steeredSentence(model: TraceModel, { mods, patches }: Steered): string {
  const steered = mods.slice(0, mostNamed).map(({ mod, vectors }, place) => {
    const verb = place === 0 ? " steered" : "";
    return `${modName(model, mod)}${verb} ${layersOf(vectors)}`;
  });
  const patched = namesOf(
    model,
    patches.map(({ mod }) => mod),
  );
  const did = [
    steered.length > 0 && listed(steered, mods.length - steered.length),
    patched && `${patched} put another state in place of ${layersOf(patches)}`,
  ];
  return `While the model chose, ${did.filter(Boolean).join("; ")}.`;
}

/** How many mods, and how many layers, are named. */
const mostNamed = 8;

/** `layer 12 (times 2)`, `layers 3, 10 (times -0.5) and 14`. */
export function layersOf(all: readonly { readonly layer: number; readonly scale?: number }[]): string {
  const named = all
    .slice(0, mostNamed)
    .map(({ layer, scale = 1 }) => `${layer}${scale === 1 ? "" : ` (times ${formatNumber(scale)})`}`);
  return `${all.length === 1 ? "layer" : "layers"} ${listed(named, all.length - named.length)}`;
}

function namesOf(model: TraceModel, mods: readonly number[]): string {
  const each = [...new Set(mods)];
  const named = each.slice(0, mostNamed).map((mod) => modName(model, mod));
  return listed(named, each.length - named.length);
}

/** `one`, `one and two`, `one, two and 3 more`. */
function listed(names: readonly string[], others: number): string {
  if (others > 0) return `${names.join(", ")} and ${formatCount(others)} more`;
  return names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
