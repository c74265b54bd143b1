/** Checks the vectors that an author hands to `steer` and `patch`, and copies them. */
import { formatNameSuggestion, unknownKey } from "../base/known-keys.ts";
import { isRecord } from "../base/record.ts";
import { describeValue, isList } from "../base/show.ts";
import { maximumSteerings, type Steering } from "./action.ts";
import type { LayerList } from "./activation-needs.ts";
import { whyNotLayer } from "./why-not-layer.ts";
import type { LayerSizes } from "./wire-event.ts";

/** A vector for one layer as an author writes it. `steeringVector(text)` returns one. */
export interface SteeringInput {
  /** Counted from 0. The mod must declare the layer: `mod({ layers: [12], … })`. */
  readonly layer: number;
  /** As many finite numbers as `event.hiddenSize`. */
  readonly vector: ArrayLike<number>;
  /** The factor of the vector; 1 by default. A factor below 0 steers the other way. */
  readonly scale?: number | undefined;
  /** The author's name for the vector. */
  readonly name?: string | undefined;
}

/** A vector that replaces a hidden state. */
export type PatchInput = Omit<SteeringInput, "scale">;

/** The layers and sizes against which a vector is checked. */
export interface VectorCheckContext {
  /** The layers that the mod declared. */
  readonly layers: LayerList;
  /** The sizes of the model; null before the first event that has them. */
  readonly sizes: LayerSizes | null;
}

/** Limits of one `steer` action, far above the needs of any model. */
export const steerActionLimits: {
  readonly vectors: number;
  readonly hiddenSize: number;
  readonly numbers: number;
} = { vectors: maximumSteerings, hiddenSize: 65_536, numbers: 4_194_304 };

const largestFloat32 = 3.4028234663852886e38;

/** Whether all numbers of a vector, times `scale`, are finite as float32. */
export function fitsFloat32(vector: Float32Array, scale: number): boolean {
  const largest = vector.reduce((most, number) => Math.max(most, Math.abs(number)), 0);
  return Math.abs(scale) * largest <= largestFloat32;
}

/** The numbers as float32. `refuse` gets the index of the first number that does not fit, and which numbers do. */
function toFloat32Array(
  numbers: ArrayLike<unknown>,
  refuse: (place: number, wanted: string) => never,
): Float32Array {
  const vector = new Float32Array(numbers.length);
  for (let place = 0; place < vector.length; place++) {
    const number = numbers[place];
    if (typeof number !== "number" || !Number.isFinite(number)) refuse(place, "finite numbers");
    vector[place] = number as number;
    if (!Number.isFinite(vector[place])) refuse(place, `numbers up to ${largestFloat32.toExponential(1)}`);
  }
  return vector;
}

/** Each check returns the plain form of its argument, or refuses the argument. `activations`: null if the mod declared no layers. */
export function createVectorChecks(
  refuse: (reason: string) => never,
  activations: VectorCheckContext | null,
): {
  steerings(value: unknown): readonly Steering[];
  patch(value: unknown): { readonly layer: number; readonly vector: Float32Array };
} {
  const { layers, sizes } = activations ?? { layers: [], sizes: null };

  function fields(value: unknown, names: readonly string[], at: string): Record<string, unknown> {
    if (!isRecord(value) || isList(value)) {
      return refuse(
        `${at || "it "}was given ${describeValue(value)}: give { ${names.slice(0, -1).join(", ")} }.`,
      );
    }
    const unknown = unknownKey(value, names);
    if (unknown !== undefined)
      refuse(`${at}there is no "${unknown}". ${formatNameSuggestion(unknown, names)}`);
    return value;
  }

  function layerOf(value: unknown, at: string): number {
    const layerCount = sizes?.layerCount ?? null;
    const reason = whyNotLayer(value, { option: "layers", declared: layers, layerCount });
    return reason === null ? (value as number) : refuse(`${at}${reason}`);
  }

  function vectorOf(value: unknown, at: string): Float32Array {
    if (!isList(value)) {
      return refuse(
        `${at}the vector is ${describeValue(value)}: give a Float32Array or a list of finite numbers.`,
      );
    }
    if (sizes !== null && value.length !== sizes.hiddenSize) {
      refuse(
        `${at}the vector has ${value.length} numbers, but a hidden state of this model has ${sizes.hiddenSize}: make the vector on the model that you steer.`,
      );
    }
    if (value.length === 0 || value.length > steerActionLimits.hiddenSize) {
      refuse(`${at}the vector has ${value.length} numbers: give as many as event.hiddenSize.`);
    }
    return toFloat32Array(value, (place, wanted) =>
      refuse(`${at}vector[${place}] is ${describeValue(value[place])}: give ${wanted}.`),
    );
  }

  function scaleOf(value: unknown, vector: Float32Array, at: string): number {
    if (typeof value !== "number" || !Number.isFinite(value)) {
      return refuse(
        `${at}scale is ${describeValue(value)}: give a finite number, 1 for the vector as it is, -1 for the opposite direction.`,
      );
    }
    if (fitsFloat32(vector, value)) return value;
    return refuse(`${at}the vector times ${value} is too large for 32-bit floats: give a smaller scale.`);
  }

  function steering(value: unknown, at: string): Steering {
    const { layer, vector, scale = 1 } = fields(value, ["layer", "vector", "scale", "name"], at);
    const numbers = vectorOf(vector, at);
    return Object.freeze({
      layer: layerOf(layer, at),
      vector: numbers,
      scale: scaleOf(scale, numbers, at),
    });
  }

  return {
    steerings(value) {
      if (value === null) return Object.freeze([]);
      if (!isList(value)) return Object.freeze([steering(value, "")]);
      if (value.length > steerActionLimits.vectors) {
        refuse(`there are ${value.length} vectors: give at most ${steerActionLimits.vectors}.`);
      }
      const list = Array.from(value, (entry, place) => steering(entry, `entry ${place}: `));
      const numbers = list.reduce((sum, { vector }) => sum + vector.length, 0);
      if (numbers <= steerActionLimits.numbers) return Object.freeze(list);
      return refuse(`the vectors have ${numbers} numbers: give at most ${steerActionLimits.numbers}.`);
    },
    patch(value) {
      const { layer, vector } = fields(value, ["layer", "vector", "name"], "");
      return { layer: layerOf(layer, ""), vector: vectorOf(vector, "") };
    },
  };
}
