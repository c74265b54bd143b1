/**
 * A steering vector of two lists of texts: the difference of their mean hidden states behind one layer (Rimsky et al. 2023, "Steering
 * Llama 2 via Contrastive Activation Addition"), as long as a fixed part of the hidden states there.
 */
import { type Separation, separationOf, sumOf } from "./separation.ts";
import type { TextStates } from "./text-states.ts";

/** The fewest texts of a list: without one of them there is another. */
export const fewestTexts = 2;

/**
 * How long a vector is, of the typical length of a hidden state behind its layer: so a scale of 1 means about the same in every
 * layer, model and list. An eighth is about what the means of two lists lie apart in SmolLM2; twice that changes a text clearly and
 * leaves it a text, and four times that breaks many.
 */
export const shareOfStream = 0.125;

/** How well a layer separates the two lists of texts, before a vector is made there. */
export interface LayerJudgement extends Separation {
  readonly layer: number;
  /** How far the lists' means lie apart. */
  readonly difference: number;
  /** The median length of the texts' hidden states. */
  readonly stream: number;
}

/** Judges every layer. @throws RangeError if a list has fewer texts than `fewestTexts`. */
export function judgeLayers(states: TextStates): LayerJudgement[] {
  const { toward, away, layerCount } = states;
  if (Math.min(toward.length, away.length) < fewestTexts)
    throw new RangeError(
      `A vector needs ${fewestTexts} texts in each list, and the lists have ${toward.length} and ${away.length}.`,
    );
  return Array.from({ length: layerCount }, (_, layer) => {
    const lists = behindLayer(states, layer);
    return {
      layer,
      ...separationOf(lists),
      difference: lengthOf(differenceOfMeans(lists)),
      stream: median([...lists.toward, ...lists.away].map(lengthOf)),
    };
  });
}

/** Areas that lie closer together than this count as equal: with a dozen texts in each list, chance alone moves them so far. */
const areaTie = 0.05;

/** How deep in the model steering works best, of several layers that are equally good. */
const bestDepth = 0.4;

/**
 * The layer to steer: of the middle half of the model, the one whose direction tells held-out texts apart best (`area`); of equally
 * good ones that closest to two fifths of the way. Earlier layers have not understood the text, and later ones have already decided
 * the next word, which is easily read there and hardly changed (Rimsky et al. 2023 steer best behind layer 13 of 32 and 14 of 40).
 */
export function chooseLayer(judgements: readonly LayerJudgement[]): number {
  const last = judgements.length - 1;
  const middle = judgements.filter(({ layer }) => layer >= last / 4 && layer <= (3 * last) / 4);
  const candidates = middle.length > 0 ? middle : judgements;
  const best = Math.max(...candidates.map(({ area }) => area));
  const equal = candidates.filter(({ area }) => area >= best - areaTie);
  const off = ({ layer }: LayerJudgement) => Math.abs(layer - last * bestDepth);
  return equal.reduce((chosen, each) => (off(each) < off(chosen) ? each : chosen)).layer;
}

/** @throws RangeError if the lists' means are the same: there is no direction between them. */
export function vectorOf(
  states: TextStates,
  { layer, stream }: Pick<LayerJudgement, "layer" | "stream">,
): Float32Array {
  const difference = differenceOfMeans(behindLayer(states, layer));
  const length = lengthOf(difference);
  if (length === 0)
    throw new RangeError(
      `Both lists have the same mean hidden state after layer ${layer}: give texts that differ.`,
    );
  return Float32Array.from(difference, (value) => (value * shareOfStream * stream) / length);
}

type Lists = Pick<TextStates, "toward" | "away">;

function behindLayer({ toward, away, hiddenSize }: TextStates, layer: number): Lists {
  const row = (states: Float32Array) => states.subarray(layer * hiddenSize, (layer + 1) * hiddenSize);
  return { toward: toward.map(row), away: away.map(row) };
}

function differenceOfMeans({ toward, away }: Lists): Float64Array {
  const [one, other] = [sumOf(toward), sumOf(away)];
  return one.map((value, at) => value / toward.length - (other[at] as number) / away.length);
}

export function lengthOf(vector: Float32Array | Float64Array): number {
  let squares = 0;
  for (const value of vector) squares += value * value;
  return Math.sqrt(squares);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle)] as number)) / 2;
}
