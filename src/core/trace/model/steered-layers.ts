/** Describes the vectors that steered the model, layer by layer. Names are untrusted: show them as text. */
import { joinNames } from "../../base/number-text.ts";
import { describeLayers } from "./describe-layers.ts";
import type { TokenSteering } from "./steered.ts";
import { steeringModNames } from "./steered-labels.ts";
import type { TraceModel } from "./trace-model.ts";
import { modName } from "./trace-view.ts";

/** The steering of a pass, layer by layer, as a sentence. */
export function describeTokenSteering(model: TraceModel, { mods, patches }: TokenSteering): string {
  const steered = mods.slice(0, mostNamed).map(({ mod, vectors }, place) => {
    const verb = place === 0 ? " steered" : "";
    return `${modName(model, mod)}${verb} ${describeLayers(vectors)}`;
  });
  const did = [
    steered.length > 0 && joinNames(steered, mods.length - steered.length),
    patches.length > 0 &&
      `${joinNames(steeringModNames(model, patches))} replaced the state of ${describeLayers(patches)}`,
  ];
  return `While the model chose this token, ${did.filter(Boolean).join("; ")}.`;
}

/** The most mods that a sentence names. */
const mostNamed = 8;
