/** The layer at which a token was decided, the layers at which two readings differ, and how ranks and probabilities are drawn. */
import { expect, test } from "vitest";
import type { TraceLayerSays } from "../../../core/trace/format/format-layers.ts";
import {
  finalLayerPrediction,
  findLayerDivergence,
  probabilityShade,
  rankAxisPosition,
  rankTicks,
  settledLayer,
} from "./step-layers.ts";

/** A line for each layer, from the ids of the tokens that each puts first. */
function linesOf(firsts: readonly number[], logprobs: readonly number[] = []): readonly TraceLayerSays[] {
  return firsts.map((token, layer) => ({
    layer,
    top: [{ token, text: `t${token}`, logprob: logprobs[layer] ?? -1 }],
    entropy: 2,
    token: null,
  }));
}

test.each<[string, readonly number[], number, number | null]>([
  ["in the last layer alone", [1, 2, 3, 7], 7, 3],
  ["from the middle on", [1, 7, 7, 7], 7, 1],
  ["in every layer", [7, 7, 7], 7, 0],
  ["it was first before and then not", [7, 7, 1, 7], 7, 3],
  ["the last layer puts another one first", [7, 7, 1], 7, null],
  ["there is no layer", [], 7, null],
])("decided %s", (_where, firsts, token, layer) => {
  expect(settledLayer(linesOf(firsts), token)).toBe(layer);
});

test("the model's own word is what its last layer puts first, whatever came", () => {
  expect(finalLayerPrediction({ lines: linesOf([7, 1, 1]) })).toMatchObject({
    token: { token: 1 },
    layer: 1,
  });
  expect(finalLayerPrediction({ lines: [] })).toBeNull();
});

test.each<
  [string, readonly number[], readonly number[], readonly number[], number | null, number | null, number[]]
>([
  ["nowhere", [1, 2, 3], [1, 2, 3], [-1, -1, -1], null, null, []],
  ["in the odds alone", [1, 2, 3], [1, 2, 3], [-1, -1.2, -1.2], 1, null, []],
  ["in the odds, then in the word", [1, 2, 3], [1, 2, 4], [-1, -1.2, -1.2], 1, 2, [2]],
  ["in a middle layer, and agree in the end", [1, 2, 3], [1, 4, 3], [-1, -1.2, -1], 1, null, [1]],
  ["twice", [1, 2, 3, 4], [5, 2, 6, 7], [-2, -1, -1, -1.5], 0, 2, [0, 2, 3]],
  ["by rounding: not at all", [1, 2], [1, 2], [-1.0005, -0.9995], null, null, []],
])("two readings part %s", (_how, one, other, logprobs, firstLayer, word, others) => {
  const found = findLayerDivergence(linesOf(one), linesOf(other, logprobs));
  expect(found).toEqual({ firstLayer, word, others: new Set(others) });
});

test("entropy alone tells two readings apart", () => {
  const [line] = linesOf([1]);
  if (!line) throw new Error("no line");
  expect(findLayerDivergence([line], [{ ...line, entropy: 2.1 }]).firstLayer).toBe(0);
});

test("ranks stand on a logarithmic axis from the first to the last", () => {
  expect(rankAxisPosition(0, 49_152)).toBe(0);
  expect(rankAxisPosition(49_151, 49_152)).toBeCloseTo(1);
  expect(rankAxisPosition(99, 10_000)).toBeCloseTo(0.5);
  expect(rankTicks(512)).toEqual([1, 10, 100]);
  expect(rankTicks(49_152)).toEqual([1, 10, 100, 1_000, 10_000]);
});

test.each([
  [0, 0],
  [0.009, 0],
  [0.011, 1],
  [0.06, 2],
  [0.3, 3],
  [0.6, 4],
  [0.81, 5],
  [1, 5],
])("a probability of %d has shade %i", (probability, shade) => {
  expect(probabilityShade(Math.log(probability))).toBe(shade);
});
