/** Part of validate.ts: checks and copies the vectors with which mods steer and patch. Each must have the length of the model's hidden states. */
import { isRecord } from "../../base/record.ts";
import { describeValue } from "../../base/show.ts";
import { maximumSteerings, type PatchAction, type Steering } from "../../sdk/action.ts";
import type { LayerList } from "../../sdk/mod.ts";
import type { LayerSizes } from "../../sdk/wire-event.ts";

/** The sizes of the model, and the layers that the mod declares. */
export interface VectorSizes extends LayerSizes {
  readonly declared: LayerList;
}

interface VectorReading {
  /** Null if the mod declares no layers. */
  readonly layers: VectorSizes | null;
  /** Throws an error with this reason: a sentence with the value and what to do. */
  readonly refuse: (reason: string) => never;
}

/**
 * The vectors of a `steer` action. Calls `refuse` unless each has a declared layer, the right number of finite numbers and a
 * finite scale.
 */
export function readSteerings(value: unknown, reading: VectorReading): Steering[] {
  const { refuse } = reading;
  if (!Array.isArray(value))
    return refuse(`vectors is ${describeValue(value)}: give a list; an empty list ends steering.`);
  if (value.length > maximumSteerings)
    return refuse(`there are ${value.length} vectors: give at most ${maximumSteerings}.`);
  return Array.from(value, (each: unknown) => {
    const { layer, vector, scale } = isRecord(each) ? each : {};
    if (typeof scale !== "number" || !Number.isFinite(scale))
      return refuse(`the scale is ${describeValue(scale)}: give a finite number.`);
    return { ...readPatch({ layer, vector }, reading), scale: scale + 0 };
  });
}

/** The layer and the vector of a `patch` action, checked like those of `steer`. */
export function readPatch(
  fields: Record<string, unknown>,
  reading: VectorReading,
): Omit<PatchAction, "type"> {
  const layer = readLayer(fields.layer, reading);
  return { layer, vector: readVector(fields.vector, layer, reading) };
}

function readLayer(value: unknown, { layers, refuse }: VectorReading): number {
  if (!layers) return refuse("the mod declares no layers: name them, as in mod({ layers: [12], … }).");
  const { layerCount, declared } = layers;
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value >= layerCount)
    return refuse(
      `there is no layer ${describeValue(value)}: the model has ${layerCount} layers, 0 to ${layerCount - 1}.`,
    );
  if (declared !== "all" && !declared.includes(value))
    return refuse(
      `layer ${value} is not declared: name it, as in mod({ layers: [${[...declared, value].join(", ")}], … }).`,
    );
  return value;
}

function readVector(value: unknown, layer: number, { layers, refuse }: VectorReading): Float32Array {
  const hiddenSize = layers?.hiddenSize ?? 0;
  if (!(value instanceof Float32Array))
    return refuse(`the vector for layer ${layer} is ${describeValue(value)}: give a Float32Array.`);
  if (value.length !== hiddenSize)
    return refuse(
      `the vector for layer ${layer} has ${value.length} numbers, but the model's hidden states have ${hiddenSize}: give ${hiddenSize} numbers.`,
    );
  const at = value.findIndex((number) => !Number.isFinite(number));
  if (at >= 0)
    return refuse(`the vector for layer ${layer} has ${value[at]} at index ${at}: give finite numbers.`);
  return Float32Array.from(value);
}
