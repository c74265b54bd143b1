/** Checks recorded layers from outside: every field, every count, and that each step belongs to a token of the trace. */
import { forEachResumable, type ResumableWork } from "../../base/resumable-work.ts";
import type {
  TraceHiddenStates,
  TraceLayerSays,
  TraceLayers,
  TraceLayersStep,
  TraceLensToken,
} from "../format/format-layers.ts";
import { traceLimits } from "../format/limits.ts";
import { addErrorKey, fields, list, nullable, PathError, type Reader, text, truth, whole } from "./check.ts";
import { float32 } from "./parse-numbers.ts";

const layer = whole(0, traceLimits.layers - 1);
const token = fields<TraceLensToken>({
  token: whole(-1, 2 ** 31 - 1),
  text: text(traceLimits.textLength),
  logprob: float32,
});
const says = fields<TraceLayerSays>({
  layer,
  entropy: float32,
  top: list(token, traceLimits.lens),
  token: nullable(fields({ rank: whole(0, 2 ** 31 - 1), logprob: float32 })),
});
const hidden = fields<TraceHiddenStates>({
  layers: list(layer, traceLimits.layers),
  numbers: list(float32, traceLimits.layersNumbers),
});
const step = fields<TraceLayersStep>({
  index: whole(0, traceLimits.tokens),
  isPlain: truth,
  layers: list(says, traceLimits.layers),
  hidden: nullable(hidden),
});
const anything: Reader<unknown> = (value) => value;
/** Reads `TraceLayers` without checking its steps. */
const outside = fields<Omit<TraceLayers, "steps"> & { readonly steps: readonly unknown[] }>({
  layerCount: whole(1, traceLimits.layers),
  hiddenSize: whole(1, traceLimits.vectorLength),
  steps: list(anything, traceLimits.layersSteps),
});

/**
 * In steps: checks and rebuilds recorded layers.
 * @param emitted the number of tokens that the trace emitted.
 * @param isOurs as in `checkingOwnTrace`.
 * @throws TraceError with the path of the wrong value.
 */
export function* checkingLayers(
  value: unknown,
  emitted: number,
  isOurs: boolean,
): ResumableWork<TraceLayers> {
  const { layerCount, hiddenSize, steps: given } = within("layers", () => outside(value, isOurs));
  const steps: TraceLayersStep[] = [];
  const counted = { entries: 0, numbers: 0 };
  yield* forEachResumable(
    given,
    (each, place) => {
      const read = within("layers", () => within("steps", () => within(place, () => step(each, isOurs))));
      const problem = problemOf(read, { layerCount, hiddenSize, emitted }, steps.at(-1), counted);
      if (problem !== null) throw new PathError(`layers.steps[${place}]`, problem);
      steps.push(read);
    },
    () => workOf(steps.at(-1)),
  );
  return { layerCount, hiddenSize, steps };
}

function within<Result>(key: string | number, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw addErrorKey(key, error);
  }
}

const workOf = (read: TraceLayersStep | undefined): number =>
  1 +
  (read?.layers.reduce((sum, { top }) => sum + 1 + top.length, 0) ?? 0) +
  (read?.hidden?.numbers.length ?? 0);

interface Sizes {
  readonly layerCount: number;
  readonly hiddenSize: number;
  readonly emitted: number;
}

function problemOf(
  { index, isPlain, layers, hidden }: TraceLayersStep,
  { layerCount, hiddenSize, emitted }: Sizes,
  before: TraceLayersStep | undefined,
  counted: { entries: number; numbers: number },
): string | null {
  if (index >= emitted) return `belongs to token ${index}, but only ${emitted} tokens were emitted`;
  const isLater = !before || index > before.index || (index === before.index && isPlain && !before.isPlain);
  if (!isLater) return `of token ${index} does not follow the step before it`;
  const named = layers.map(({ layer }) => layer);
  for (const list of [named, hidden?.layers ?? []]) {
    const wrong = list.find((layer, place) => layer >= layerCount || layer <= (list[place - 1] ?? -1));
    if (wrong !== undefined)
      return `has layer ${wrong} out of order or beyond the model's ${layerCount} layers`;
  }
  const numbers = hidden?.numbers.length ?? 0;
  if (numbers !== (hidden?.layers.length ?? 0) * hiddenSize)
    return `has ${numbers} hidden-state numbers, but should have ${hiddenSize} for each of its layers`;
  counted.numbers += numbers;
  counted.entries += layers.reduce((sum, { top }) => sum + top.length, 0);
  if (counted.entries > traceLimits.layersEntries)
    return `brings the layer readings above the limit of ${traceLimits.layersEntries} tokens`;
  return counted.numbers > traceLimits.layersNumbers
    ? `brings the hidden states above the limit of ${traceLimits.layersNumbers} numbers`
    : null;
}
