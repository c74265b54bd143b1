/**
 * Makes a steering vector from two lists of texts: the difference of their mean hidden states after one layer (Rimsky et al.
 * 2023, "Steering Llama 2 via Contrastive Activation Addition"), scaled to a fixed share of the hidden states' length.
 */
import { type Separation, separationOf, sumOf } from "./separation.ts";
import type { TextStates } from "./text-states.ts";

/** The fewest texts of a list: when one is held out, at least one must remain. */
export const fewestTexts = 2;

/**
 * The length of a vector, as a share of the typical length of a hidden state after its layer. So a scale of 1 means about the
 * same in every layer, model and list. An eighth is about the distance between the means of two lists in SmolLM2; twice that
 * changes texts clearly and leaves them readable, and four times that breaks many texts.
 */
export const vectorLengthShare = 0.125;

/** How well a layer separates the two lists of texts, computed before a vector is made for the layer. */
export interface LayerJudgement extends Separation {
  readonly layer: number;
  /** The distance between the means of the two lists. */
  readonly difference: number;
  /** The median length of the texts' hidden states. */
  readonly stream: number;
}

/** Judges every layer. @throws RangeError if a list has fewer texts than `fewestTexts`. */
export function judgeLayers(states: TextStates): LayerJudgement[] {
  const { toward, away, layerCount } = states;
  if (Math.min(toward.length, away.length) < fewestTexts)
    throw new RangeError(
      `A vector needs ${fewestTexts} texts in each list, but the lists have ${toward.length} and ${away.length}.`,
    );
  return Array.from({ length: layerCount }, (_, layer) => {
    const lists = behindLayer(states, layer);
    return {
      layer,
      ...separationOf(lists),
      difference: vectorNorm(differenceOfMeans(lists)),
      stream: median([...lists.toward, ...lists.away].map(vectorNorm)),
    };
  });
}

/**
 * Areas (`Separation.area`) that differ by less than this count as equal: with a dozen texts in each list, chance causes such
 * differences.
 */
const areaTie = 0.05;

/** The depth in the model at which steering works best, for a choice between equally good layers. */
const bestDepth = 0.4;

/**
 * Chooses the layer to steer: the layer in the middle half of the model whose direction best separates held-out texts
 * (`area`); of equally good layers, the one closest to `bestDepth`. Earlier layers have not understood the text. Later layers
 * have already decided the next word: it is easy to read there and hard to change (Rimsky et al. 2023 steer best after layers
 * 13 of 32 and 14 of 40).
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

/**
 * The direction from the mean of `away` to the mean of `toward` after a layer, as a vector of the length that `vectorLengthShare`
 * gives. @throws RangeError if the lists' means are the same: there is no direction between them.
 */
export function differenceVector(
  states: TextStates,
  { layer, stream }: Pick<LayerJudgement, "layer" | "stream">,
): Float32Array {
  const difference = differenceOfMeans(behindLayer(states, layer));
  const length = vectorNorm(difference);
  if (length === 0)
    throw new RangeError(
      `Both lists have the same mean hidden state after layer ${layer}: give texts that differ.`,
    );
  return Float32Array.from(difference, (value) => (value * vectorLengthShare * stream) / length);
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

export function vectorNorm(vector: Float32Array | Float64Array): number {
  let squares = 0;
  for (const value of vector) squares += value * value;
  return Math.sqrt(squares);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle)] as number)) / 2;
}
