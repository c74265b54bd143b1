/** Random recorded layers that are valid for a trace with a given number of tokens. */
import fc from "fast-check";
import type {
  TraceHiddenStates,
  TraceLayerSays,
  TraceLayers,
  TraceLayersStep,
} from "../format/format-layers.ts";

const float = fc.float({ noNaN: true, noDefaultInfinity: true });
/** Some numbers are float16, which files hold in half the space. */
const numbers = fc.oneof(fc.constantFrom(0, 1, -0.5, -0, 65_504), float);
const layerCount = 6;
const hiddenSize = 3;
const layers = fc.subarray(Array.from({ length: layerCount }, (_, layer) => layer));

const says = fc.record({
  entropy: float,
  top: fc.array(
    fc.record({ token: fc.nat({ max: 9 }), text: fc.constantFrom("", " the", "🙂"), logprob: float }),
    { maxLength: 4 },
  ),
  token: fc.option(fc.record({ rank: fc.nat({ max: 2 ** 31 - 1 }), logprob: float }), { nil: null }),
});

const hidden: fc.Arbitrary<TraceHiddenStates> = layers.chain((named) =>
  fc.record({
    layers: fc.constant(named),
    numbers: fc.array(numbers, {
      minLength: named.length * hiddenSize,
      maxLength: named.length * hiddenSize,
    }),
  }),
);

const allSay: fc.Arbitrary<TraceLayerSays[]> = layers.chain((named) =>
  fc
    .array(says, { minLength: named.length, maxLength: named.length })
    .map((each) => each.map((own, place) => ({ layer: named[place] ?? 0, ...own }))),
);

const step: fc.Arbitrary<TraceLayersStep> = fc.record({
  index: fc.nat({ max: 40 }),
  isPlain: fc.boolean(),
  layers: allSay,
  hidden: fc.option(hidden, { nil: null }),
});

/** @param emitted the number of tokens of the trace. */
export function arbitraryLayers(emitted: number): fc.Arbitrary<TraceLayers> {
  const order = ({ index, isPlain }: TraceLayersStep) => index * 2 + Number(isPlain);
  return fc.array(step, { maxLength: 5 }).map((steps) => ({
    layerCount,
    hiddenSize,
    steps: [...new Map(steps.map((each) => [order(each), each])).values()]
      .filter(({ index }) => index < emitted)
      .sort((one, other) => order(one) - order(other)),
  }));
}
