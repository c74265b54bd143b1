/** The layers that a mod declares: its options `layers` and `lens`. */
import { isList, show } from "../base/show.ts";

/** Layers, counted from 0, or every one that the model has. */
export type LayerList = readonly number[] | "all";

/** The activations that a mod reads or changes. */
export interface ActivationNeeds {
  /** Layers that it may steer and patch, and whose hidden states it may read. */
  readonly layers: LayerList;
  /** Whether hidden states are sent with each `forwardPass`, because the source reads them. */
  readonly hiddenStates: boolean;
  /** Layers of which it is sent, with each `forwardPass`, what they would say. */
  readonly lens: LayerList;
}

/** One above the highest layer that can be named: more than any model has. */
export const maximumLayers = 1024;

/** The most tokens that `event.lens` gives of a layer. */
export const maximumLens = 64;

/**
 * Combines the mod's two options; null if the mod gave neither. @throws TypeError for an invalid list of layers, and if both
 * options together name no layer
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
      `mod(...): "${named}" is an empty list, and the model's layers would be opened for nothing: name at least one, for example [12], give "all", or leave it out.`,
    );
  }
  return Object.freeze({
    layers,
    hiddenStates: readsPasses && layers.length > 0,
    lens: readsPasses ? lens : Object.freeze([]),
  });
}

/** Ascending, each once. */
function layerList(value: unknown, option: string): LayerList {
  if (value === undefined) return Object.freeze([]);
  if (value === "all") return value;
  if (!isList(value)) {
    throw new TypeError(
      `mod(...): "${option}" is ${show(value)}: give a list of layers, for example [12], or "all".`,
    );
  }
  const layers = Array.from(value, (layer, place) => {
    if (isLayer(layer)) return layer;
    throw new TypeError(
      `mod(...): "${option}[${place}]" is ${show(layer)}: layers are whole numbers, counted from 0, and below ${maximumLayers}.`,
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
