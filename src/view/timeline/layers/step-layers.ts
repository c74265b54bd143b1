/** The predictions of a model's layers at one step, as the views have them, and conclusions from them. Pure. */
import type { TraceLayerSays, TraceLensToken } from "../../../core/trace/format/format-layers.ts";

export interface StepLayers {
  /** One for each layer, the first layer first. Ranks and log-probabilities in them are of the token that came out. */
  readonly lines: readonly TraceLayerSays[];
  /** Entries of the vocabulary. */
  readonly vocabularySize: number;
}

/** The layer from which on the token is the most likely in every layer up to the last; null if the last one puts another one first. */
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
export function lastWord({
  lines,
}: Pick<StepLayers, "lines">): { readonly token: TraceLensToken; readonly layer: number } | null {
  const token = lines.at(-1)?.top[0];
  if (!token) return null;
  return { token, layer: settledLayer(lines, token.token) ?? lines.length - 1 };
}

/** Where two readings of one step part: of a run that was steered, and of the same tokens without. */
export interface Parting {
  /** The first layer whose probabilities are others. */
  readonly firstLayer: number | null;
  /** The layer from which on the most likely token is another one, up to the last; null if the last layers agree. */
  readonly word: number | null;
  /** Layers that put another token first. */
  readonly others: ReadonlySet<number>;
}

/** Log-probabilities and bits that are nearer than this are rounding. */
const sameWithin = 1e-3;

export function partingOf(one: readonly TraceLayerSays[], other: readonly TraceLayerSays[]): Parting {
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
export function rankShare(rank: number, vocabularySize: number): number {
  return Math.min(1, Math.log1p(rank) / Math.log(Math.max(2, vocabularySize)));
}

/** Powers of ten up to the vocabulary's size, as ranks from 1: the ticks of that axis. */
export function rankTicks(vocabularySize: number): readonly number[] {
  const ticks: number[] = [];
  for (let tick = 1; tick <= vocabularySize; tick *= 10) ticks.push(tick);
  return ticks;
}

/** Least probability of each shade but the first, which is none. */
const shadeFrom = [0.01, 0.05, 0.2, 0.5, 0.8];

/** A shade for a probability, from 0 (next to nothing) to 5. */
export function shadeOf(logprob: number): number {
  const probability = Math.exp(logprob);
  return shadeFrom.filter((least) => probability >= least).length;
}
