/** Checks the layers that a guest declares and the vectors in its replies: see parse-reply.ts. */
import { describeValue } from "../../core/base/show.ts";
import { InvalidActionError, type Steering } from "../../core/sdk/action.ts";
import {
  type ActivationNeeds,
  includesLayer,
  type LayerList,
  maximumLayers,
} from "../../core/sdk/activation-needs.ts";
import type { EventType } from "../../core/sdk/event.ts";
import { fitsFloat32, steerActionLimits, type VectorCheckContext } from "../../core/sdk/vector-arguments.ts";
import { type Fields, readCount, readFields, readList, readNumbers, violate } from "./parse-values.ts";

/** The layers and sizes against which vectors are checked. */
interface Asked {
  readonly event: EventType;
  /** The layers that the mod declared, and the sizes of the model that the mod got; null if it declared none. */
  readonly activations: VectorCheckContext | null;
}

export function parseActivationNeeds(value: unknown): ActivationNeeds {
  const { layers, hiddenStates, lens } = readFields(value, "needs.activations");
  if (typeof hiddenStates !== "boolean")
    return violate(`needs.activations.hiddenStates is ${describeValue(hiddenStates)}`);
  return {
    layers: readLayers(layers, "needs.activations.layers"),
    hiddenStates,
    lens: readLayers(lens, "needs.activations.lens"),
  };
}

/** Reads a list in ascending order without duplicates: a list that named a layer a thousand times would multiply the work by a thousand. */
function readLayers(value: unknown, what: string): LayerList {
  if (value === "all") return value;
  const layers = readList(value, maximumLayers, what).map((layer) =>
    readCount(layer, maximumLayers - 1, `a layer in ${what}`),
  );
  return layers.every((layer, place) => place === 0 || layer > (layers[place - 1] as number))
    ? layers
    : violate(`${what} is not in ascending order`);
}

/** The action builders already refuse these vectors. Only a mod that changes a built action can cause an error here. */
export function readSteerings(value: unknown, asked: Asked): Steering[] {
  const list = readList(value, steerActionLimits.vectors, "vectors");
  let numbers = 0;
  return list.map((entry) => {
    const { layer, vector, scale } = readFields(entry, "an entry of vectors");
    if (typeof scale !== "number" || !Number.isFinite(scale))
      violate(`the scale of a vector is ${describeValue(scale)}`);
    const steering = {
      layer: readLayer(layer, asked),
      vector: readVector(vector, "steer", asked),
      scale: (scale as number) + 0,
    };
    if (!fitsFloat32(steering.vector, steering.scale))
      refuse("steer", asked, `the vector times ${steering.scale} is too large for 32-bit floats.`);
    numbers += steering.vector.length;
    if (numbers > steerActionLimits.numbers)
      violate(`its vectors have more than ${steerActionLimits.numbers} numbers`);
    return steering;
  });
}

export function readPatch(
  { layer, vector }: Fields,
  asked: Asked,
): { readonly layer: number; readonly vector: Float32Array } {
  return { layer: readLayer(layer, asked), vector: readVector(vector, "patch", asked) };
}

function readLayer(value: unknown, { activations }: Asked): number {
  const { layers, sizes } = activations ?? violate("the mod declared no layers, but its action has a vector");
  const layer = readCount(value, (sizes?.layerCount ?? maximumLayers) - 1, "a layer");
  return includesLayer(layers, layer)
    ? layer
    : violate(`the action has a vector for layer ${layer}, which the mod did not declare`);
}

function readVector(value: unknown, action: "steer" | "patch", asked: Asked): Float32Array {
  const vector = readNumbers(value, Float32Array, "a vector");
  const { length } = vector;
  const size = asked.activations?.sizes?.hiddenSize;
  if (length === 0 || length > steerActionLimits.hiddenSize || (size !== undefined && length !== size))
    violate(`a vector has ${length} numbers${size === undefined ? "" : `, not ${size}`}`);
  const place = vector.findIndex((number) => !Number.isFinite(number));
  if (place < 0) return vector;
  return refuse(action, asked, `vector[${place}] is ${vector[place]}: give finite numbers.`);
}

/** The error for a vector that the builder accepted but the mod changed afterwards. */
function refuse(action: "steer" | "patch", { event }: Asked, reason: string): never {
  throw new InvalidActionError(action, event, `${reason} Do not change an action after you have built it.`);
}
