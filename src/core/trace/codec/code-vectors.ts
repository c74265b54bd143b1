/** Writes and reads the vectors of `steer` and `patch` actions: each vector once, with its numbers as float32. */
import type { TraceAction } from "../format/format-action.ts";
import type { TraceModelInfo } from "../format/format-request.ts";
import type { TraceSteering, TraceVector } from "../format/format-values.ts";
import { traceLimits } from "../format/limits.ts";
import { traceMemoryBytes } from "../format/memory.ts";
import { TraceError } from "../format/trace-error.ts";
import type { CodingContext } from "./code-context.ts";
import { type ColumnIo, codeFlag, codeList, codeOptional } from "./column-io.ts";

type ActionOf<Type extends TraceAction["type"]> = Extract<TraceAction, { type: Type }>;

export function codeSteer(
  io: ColumnIo,
  context: CodingContext,
  value: ActionOf<"steer"> | undefined,
): ActionOf<"steer"> {
  const code = (each: TraceSteering | undefined): TraceSteering => ({
    layer: io.whole("vectors.numbers", each?.layer),
    scale: io.number("vectors.floats", each?.scale, undefined, 1),
    vector: vector(io, context, each?.vector),
  });
  context.steers = Math.min(traceLimits.mods, context.steers + 1);
  io.hold((1 + context.steers) * traceMemoryBytes.steered);
  const vectors = codeList(io, "vectors.numbers", value?.vectors, code);
  io.hold(vectors.length * traceMemoryBytes.steering);
  return { type: "steer", vectors };
}

export function codePatch(
  io: ColumnIo,
  context: CodingContext,
  value: ActionOf<"patch"> | undefined,
): ActionOf<"patch"> {
  const layer = io.whole("vectors.numbers", value?.layer);
  context.patchedLayers.add(layer);
  io.hold(
    (1 + context.steers) * traceMemoryBytes.steered +
      Math.min(traceLimits.layers, context.patchedLayers.size) * traceMemoryBytes.patched,
  );
  return { type: "patch", layer, vector: vector(io, context, value?.vector) };
}

/** Writes or reads a vector: its place among the vectors so far, or, at its first use, 0 and the vector itself. */
function vector(io: ColumnIo, context: CodingContext, value: TraceVector | undefined): TraceVector {
  const key = value && `${value.digest} ${value.norm}`;
  const known = key === undefined ? undefined : (context.vectorPlace.get(key) ?? context.vectors.length);
  const isOld = known !== undefined && known < context.vectors.length;
  const place = io.whole("vectors.numbers", value && (isOld ? known + 1 : 0));
  const old = place > 0 ? context.vectors[place - 1] : undefined;
  if (old) return old;
  const digest = io.whole("vectors.numbers", value?.digest);
  const norm = io.number("vectors.floats", value?.norm);
  if (key !== undefined) context.vectorPlace.set(key, context.vectors.length);
  // Later vectors with the same digest are stored without numbers.
  context.vectors.push({ digest, norm, numbers: null });
  io.hold(traceMemoryBytes.vector);
  const has = codeFlag(io, "vectors.numbers", value && value.numbers !== null);
  return { digest, norm, numbers: has ? numbers(io, context, value?.numbers ?? undefined) : null };
}

function numbers(io: ColumnIo, context: CodingContext, value: readonly number[] | undefined): number[] {
  const length = io.whole("vectors.numbers", value?.length);
  context.vectorNumbersLeft -= length;
  if (!(length <= traceLimits.vectorLength && context.vectorNumbersLeft >= 0)) {
    throw new TraceError(`The trace is damaged: it says that a vector has ${length} numbers.`);
  }
  io.enter(length, traceMemoryBytes.vectorNumber);
  const result = new Array<number>(length);
  for (let place = 0; place < length; place += 1)
    result[place] = io.float32("vectors.values", value?.[place]);
  return result;
}

/** Writes or reads the layer sizes of a model that ran with readable layers. */
export function codeModelLayers(
  io: ColumnIo,
  value: TraceModelInfo["layers"],
): Pick<TraceModelInfo, "layers"> {
  const number = (each: number | undefined) => io.whole("vectors.numbers", each);
  const layers = codeOptional(io, "vectors.numbers", value !== undefined, value, (each) => ({
    layerCount: number(each?.layerCount),
    hiddenSize: number(each?.hiddenSize),
  }));
  return layers === undefined ? {} : { layers };
}
