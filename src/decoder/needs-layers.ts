/** Whether a request has to do with the inside of the model's passes, and which of its mods cannot. */
import type { LayerSizes } from "../sdk/wire-event.ts";
import type { BranchPoint } from "./branch-point.ts";
import type { ModFault, ModHost } from "./mod-host.ts";
import type { VectorSizes } from "./validate-vectors.ts";

/** Whether the model's layers have to be open: a mod asks for them, or what the request goes on from was steered. */
export function needsLayers(mods: readonly Pick<ModHost, "needs">[], point?: BranchPoint): boolean {
  if (mods.some(({ needs }) => needs.inside !== undefined)) return true;
  const records = point?.records.slice(0, point.at) ?? [];
  return records.some(
    (record) =>
      record.type === "modCall" && (record.action.type === "steer" || record.action.type === "patch"),
  );
}

/** Why a mod cannot take part: it is at fault at its first event. Null for all that can. `sizes`: null where the layers are not open. */
export function layersFault({ needs }: Pick<ModHost, "needs">, sizes: LayerSizes | null): ModFault | null {
  const { inside } = needs;
  if (!inside) return null;
  if (!sizes)
    return fault("It declares layers, and those of this model are not open: load it with `openLayers`.");
  const { layerCount } = sizes;
  for (const [name, list] of [
    ["layers", inside.layers],
    ["lens", inside.lens],
  ] as const) {
    const stranger = list === "all" ? undefined : list.find((layer) => layer >= layerCount);
    if (stranger !== undefined)
      return fault(
        `It declares layer ${stranger} in "${name}"; this model has ${layerCount}, 0 to ${layerCount - 1}. Name one of those, or write ${name}: "all".`,
      );
  }
  return null;
}

/** What the mod's vectors are measured against; null where it may give none. */
export function vectorSizes({ needs }: Pick<ModHost, "needs">, sizes: LayerSizes | null): VectorSizes | null {
  const declared = needs.inside?.layers;
  return sizes && declared !== undefined ? { ...sizes, declared } : null;
}

function fault(message: string): ModFault {
  return { kind: "invalid-action", message };
}
