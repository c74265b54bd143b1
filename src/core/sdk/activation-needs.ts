/** The layers that a mod declares: its options `layers` and `lens`. */
import { describeValue, isList } from "../base/show.ts";

/** Layer numbers, from 0; "all" means every layer of the model. */
export type LayerList = readonly number[] | "all";

/** The activations that a mod reads or changes. */
export interface ActivationNeeds {
  /** Layers that the mod may steer and patch, and whose hidden states it may read. */
  readonly layers: LayerList;
  /** Whether hidden states are sent with each `forwardPass`, because the source reads them. */
  readonly hiddenStates: boolean;
  /** Layers whose predictions (`event.lens`) are sent with each `forwardPass`. */
  readonly lens: LayerList;
}

/** Layer numbers must be below this limit, which no model reaches. */
export const maximumLayers = 1024;

/** The most tokens that `event.lens` returns for a layer. */
export const maximumLensTokens = 64;

/**
 * Combines the mod's two options; null if the mod gave neither.
 * @param readsPasses whether the mod handles `forwardPass`; otherwise no hidden states and predictions are sent
 * @throws TypeError for an invalid list of layers, and if both options together name no layer
 */
export function activationNeedsOf(
  options: { readonly layers?: unknown; readonly lens?: unknown },
  readsPasses: boolean,
): ActivationNeeds | null {
  if (options.layers === undefined && options.lens === undefined) return null;
  const layers = layerList(options.layers, "layers");
  const lens = layerList(options.lens, "lens");
  if (layers.length === 0 && lens.length === 0) {
    const named = options.layers === undefined ? "lens" : "layers";
    throw new TypeError(
      `mod(...): "${named}" is an empty list, so the model's layers would be opened for nothing: name at least one layer, for example [12], give "all", or leave "${named}" out.`,
    );
  }
  return Object.freeze({
    layers,
    hiddenStates: readsPasses && layers.length > 0,
    lens: readsPasses ? lens : Object.freeze([]),
  });
}

/** Checks a list of layers; sorts it and removes duplicates. */
function layerList(value: unknown, option: string): LayerList {
  if (value === undefined) return Object.freeze([]);
  if (value === "all") return value;
  if (!isList(value)) {
    throw new TypeError(
      `mod(...): "${option}" is ${describeValue(value)}: give a list of layers, for example [12], or "all".`,
    );
  }
  const layers = Array.from(value, (layer, place) => {
    if (isLayer(layer)) return layer;
    throw new TypeError(
      `mod(...): "${option}[${place}]" is ${describeValue(layer)}: layers are whole numbers, counted from 0, and below ${maximumLayers}.`,
    );
  });
  return Object.freeze([...new Set(layers)].sort((a, b) => a - b));
}

export function isLayer(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value < maximumLayers;
}

export function includesLayer(layers: LayerList, layer: number): boolean {
  return layers === "all" || layers.includes(layer);
}
