/** Compares a model with its layers opened to the same model as its exporter wrote it, on any device, in Node and in pages. */
import { largestDifference } from "../../../src/core/decoder/ports/language-model.compare.ts";
import type { LanguageModel } from "../../../src/core/decoder/ports/language-model.ts";
import type { ModelLayers, SteeringVectors } from "../../../src/core/decoder/ports/model-layers.ts";
import { bestToken } from "../../../src/runtime/engine/testing/greedy.ts";

export type LayeredModel = LanguageModel & { readonly layers: ModelLayers };

export interface GraphMetrics {
  readonly layers: number;
  /** Largest difference of the last layer through the lens from the logits. */
  readonly lens: number;
  /** Largest difference of the logits under vectors of zeros behind every layer from those of the untouched graph. */
  readonly zeros: number;
  /** Whether the greedy tokens were the same. */
  readonly sameTokens: boolean;
  /** Largest of the logits less the smallest, to hold the differences against. */
  readonly spread: number;
}

/** Rows of the prompt that logits are compared at. */
const promptRows = 8;

export function withLayers(model: LanguageModel): LayeredModel {
  if (!model.layers) throw new Error("The model has no layers.");
  return model as LayeredModel;
}

export function everyLayer({ count }: ModelLayers): number[] {
  return Array.from({ length: count }, (_, layer) => layer);
}

/** After `prompt`, and at each of `count` greedy tokens behind it. The rows of every layer are kept meanwhile. */
export async function graphMetrics(
  plain: LanguageModel,
  opened: LayeredModel,
  prompt: readonly number[],
  count: number,
): Promise<GraphMetrics> {
  const { layers } = opened;
  const last = layers.count - 1;
  const zeros: SteeringVectors = new Map(
    everyLayer(layers).map((layer) => [layer, new Float32Array(layers.hiddenSize)]),
  );
  layers.steer(zeros);
  layers.keep(everyLayer(layers));
  plain.truncate(0);
  opened.truncate(0);
  const figures = { layers: layers.count, lens: 0, zeros: 0, sameTokens: true, spread: 0 };
  let tokens = prompt;
  for (let step = 0; step <= count; step++) {
    const rows = Math.min(promptRows, tokens.length);
    const [expected, given] = [await plain.forward(tokens, rows), await opened.forward(tokens, rows)];
    const seen = await layers.lens(await layers.hidden(last));
    figures.zeros = larger(figures.zeros, largestDifference(given, expected));
    // A graph that computes its last row alone gives fewer rows of logits than of its layers.
    const shown = seen.slice(seen.length - given.length);
    figures.lens = larger(figures.lens, largestDifference(shown, given));
    const row = expected.slice(-plain.vocabularySize);
    figures.spread = larger(figures.spread, spreadOf(row));
    const next = bestToken(row);
    if (bestToken(given.slice(-plain.vocabularySize)) !== next) figures.sameTokens = false;
    tokens = [next];
  }
  return figures;
}

/** NaN, which no comparison finds larger, is. */
export function larger(a: number, b: number): number {
  return b <= a ? a : b;
}

function spreadOf(logits: Float32Array): number {
  return logits.reduce((a, b) => Math.max(a, b)) - logits.reduce((a, b) => Math.min(a, b));
}

/** The result of the plain forward pass at a position, and the vectors that steer it there. */
export interface PlainRow {
  /** By layer. */
  readonly steering: readonly (readonly [number, Float32Array])[];
  readonly hidden: readonly Float32Array[];
  readonly logits: Float32Array;
  /** For each layer, the logits that final norm and head compute from the stream behind it. */
  readonly lens: readonly Float32Array[];
}

/** Largest differences from the plain forward pass, over all layers and positions. */
export interface PlainMetrics {
  readonly hidden: number;
  readonly lens: number;
  readonly logits: number;
  /** Rows of the stream that were compared. */
  readonly rows: number;
}

/** Token by token, each under its own steering. */
export async function plainMetrics(
  model: LayeredModel,
  tokens: readonly number[],
  expected: readonly PlainRow[],
): Promise<PlainMetrics> {
  const { layers } = model;
  layers.keep(everyLayer(layers));
  model.truncate(0);
  const figures = { hidden: 0, lens: 0, logits: 0, rows: 0 };
  for (const [position, token] of tokens.entries()) {
    const row = expected[position];
    if (!row || row.hidden.length !== layers.count) throw new Error("The forward passes have other layers.");
    layers.steer(new Map(row.steering));
    figures.logits = larger(figures.logits, largestDifference(await model.forward([token]), row.logits));
    for (const layer of everyLayer(layers)) {
      const hidden = await layers.hidden(layer);
      const [plain, lens] = [row.hidden[layer] ?? hidden.slice(1), row.lens[layer] ?? hidden.slice(1)];
      figures.hidden = larger(figures.hidden, largestDifference(hidden, plain));
      figures.lens = larger(figures.lens, largestDifference(await layers.lens(hidden), lens));
      figures.rows += 1;
    }
  }
  return figures;
}
