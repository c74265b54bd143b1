/** The predictions of a model's layers at one step, and what the views compute from them. Pure. */
import type { TraceLayerSays, TraceLensToken } from "../../../core/trace/format/format-layers.ts";

export interface StepLayers {
  /** An entry for each layer, the first layer first. `token` has rank and log-probability of the token that came out. */
  readonly lines: readonly TraceLayerSays[];
  /** Number of entries of the vocabulary. */
  readonly vocabularySize: number;
}

/** The first layer from which on the token is the most likely in every layer; null if it is not the most likely in the last layer. */
export function settledLayer(lines: readonly TraceLayerSays[], token: number): number | null {
  let settled: number | null = null;
  for (let place = lines.length - 1; place >= 0; place -= 1) {
    const line = lines[place];
    if (!line || line.top[0]?.token !== token) break;
    settled = line.layer;
  }
  return settled;
}

/** The model's own prediction, which is the top token of its last layer, and the layer from which on it is the top token. */
export function finalLayerPrediction({
  lines,
}: Pick<StepLayers, "lines">): { readonly token: TraceLensToken; readonly layer: number } | null {
  const token = lines.at(-1)?.top[0];
  if (!token) return null;
  return { token, layer: settledLayer(lines, token.token) ?? lines.length - 1 };
}

/** Where the layers of a steered step differ from the layers for the same tokens without steering. */
export interface LayerDivergence {
  /** The first layer whose probabilities differ. */
  readonly firstLayer: number | null;
  /** The first layer from which on the most likely token differs in every layer; null if it is the same in the last layer. */
  readonly word: number | null;
  /** Layers whose most likely token differs. */
  readonly others: ReadonlySet<number>;
}

/** Smaller differences of log-probabilities and entropies count as rounding. */
const sameWithin = 1e-3;

export function findLayerDivergence(
  one: readonly TraceLayerSays[],
  other: readonly TraceLayerSays[],
): LayerDivergence {
  let firstLayer: number | null = null;
  let word: number | null = null;
  const others = new Set<number>();
  for (const [place, line] of one.entries()) {
    const beside = other[place];
    if (!beside) break;
    if (firstLayer === null && !hasSameProbabilities(line, beside)) firstLayer = line.layer;
    const isOther = line.top[0]?.token !== beside.top[0]?.token;
    if (isOther) others.add(line.layer);
    word = isOther ? (word ?? line.layer) : null;
  }
  return { firstLayer, word, others };
}

function hasSameProbabilities(one: TraceLayerSays, other: TraceLayerSays): boolean {
  if (Math.abs(one.entropy - other.entropy) > sameWithin) return false;
  return one.top.every(({ logprob }, place) => {
    const beside = other.top[place]?.logprob ?? Number.NEGATIVE_INFINITY;
    return Math.abs(logprob - beside) <= sameWithin;
  });
}

/** The position of a rank between the first and the last of a vocabulary, from 0 to 1, on a logarithmic axis. */
export function rankAxisPosition(zeroBasedRank: number, vocabularySize: number): number {
  return Math.min(1, Math.log1p(zeroBasedRank) / Math.log(Math.max(2, vocabularySize)));
}

/** The ticks of the axis of ranks: powers of ten up to the vocabulary's size. Ranks count from 1. */
export function rankTicks(vocabularySize: number): readonly number[] {
  const ticks: number[] = [];
  for (let tick = 1; tick <= vocabularySize; tick *= 10) ticks.push(tick);
  return ticks;
}

/** The smallest probability of each shade, from shade 1 on; shade 0 has no colour. */
const shadeFrom = [0.01, 0.05, 0.2, 0.5, 0.8];

/** A shade for a probability, from 0 (next to nothing) to 5. */
export function probabilityShade(logprob: number): number {
  const probability = Math.exp(logprob);
  return shadeFrom.filter((least) => probability >= least).length;
}
