/** Whether a request reads or changes activations, and which of its mods cannot run with this model. */
import type { LayerSizes } from "../../sdk/wire-event.ts";
import type { ModFault, ModHost } from "../ports/mod-host.ts";
import type { VectorSizes } from "./validate-vectors.ts";

/** Whether a mod reads or changes activations: the model's layers have to be open then. */
export function needsLayers(mods: readonly Pick<ModHost, "needs">[]): boolean {
  return mods.some(({ needs }) => needs.activations !== undefined);
}

/** The fault that a mod gets at its first event because the model lacks what it needs; null if the mod can run. `sizes`: null if the layers are not open. */
export function layersFault({ needs }: Pick<ModHost, "needs">, sizes: LayerSizes | null): ModFault | null {
  const { activations } = needs;
  if (!activations) return null;
  if (!sizes)
    return fault(
      "The mod declares layers, but the model was loaded without access to its layers: load the model with `openLayers`.",
    );
  const { layerCount } = sizes;
  for (const [name, list] of [
    ["layers", activations.layers],
    ["lens", activations.lens],
  ] as const) {
    const stranger = list === "all" ? undefined : list.find((layer) => layer >= layerCount);
    if (stranger !== undefined)
      return fault(
        `The mod declares layer ${stranger} in "${name}", but this model has ${layerCount} layers, 0 to ${layerCount - 1}. Name one of these layers, or write ${name}: "all". A steering vector works only in the model that it was made with.`,
      );
  }
  return null;
}

/** The sizes that the mod's vectors must have; null if the mod may give no vectors. */
export function vectorSizes({ needs }: Pick<ModHost, "needs">, sizes: LayerSizes | null): VectorSizes | null {
  const declared = needs.activations?.layers;
  return sizes && declared !== undefined ? { ...sizes, declared } : null;
}

function fault(message: string): ModFault {
  return { kind: "invalid-action", message };
}
