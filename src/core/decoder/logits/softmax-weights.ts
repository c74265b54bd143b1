/**
 * Softmax weights before the division by their sum. If an edit changes few logits, its weights are computed from
 * those of the original.
 */
import type { OverwrittenLogits } from "./differences.ts";
import { exponential, exponentials } from "./exponential.ts";
import { largestToken } from "./logits-search.ts";

/** Tokens that can still be chosen, and the sum of their weights. */
export interface WeightSum {
  readonly mass: number;
  readonly candidates: number;
}

/** The weights of the original logits. */
interface OriginalWeights extends WeightSum {
  readonly row: Float32Array;
  readonly weights: Float64Array;
  readonly temperature: number;
  readonly largest: number;
}

/** If the largest edited logit is more than this below the original's largest, all weights are computed anew: derived weights would lose digits. */
const farthest = 8;

/** The logits from before an edit. */
export interface UneditedLogits {
  /** The caller must not change it between two calls. */
  readonly row: Float32Array;
  /** Where the edited logits differ from `row`; empty for `row` itself, null if too many differ. */
  readonly differences: OverwrittenLogits | null;
}

/** Writes exp((logit - largest) / temperature) into `weights`, `(vocabulary)`, and 0 for tokens that cannot be chosen. The caller may change `weights` afterwards. */
export class SoftmaxWeights {
  readonly #weights: Float64Array;
  /** The weights of the original logits; null until they are computed. */
  #original: OriginalWeights | null = null;
  /** Whether `weights` holds the weights of the original logits. */
  #isPrepared = false;

  constructor(weights: Float64Array) {
    this.#weights = weights;
  }

  /** Computes in advance what edits of this row need. */
  prepare(row: Float32Array, temperature: number): void {
    this.#weights.set(this.#computeOriginal(row, temperature).weights);
    this.#isPrepared = true;
  }

  /**
   * The most likely token has the weight 1, or its weight in `original` if most weights are copied from there.
   * @param best the most likely token of the row
   */
  compute(row: Float32Array, best: number, temperature: number, original?: UneditedLogits): WeightSum {
    const largest = row[best] ?? 0;
    const kept =
      original?.differences &&
      this.#computeEdited(
        this.#computeOriginal(original.row, temperature),
        row,
        largest,
        original.differences,
      );
    this.#isPrepared = false;
    return kept ?? computeWeights(row, largest, temperature, this.#weights);
  }

  #computeOriginal(row: Float32Array, temperature: number): OriginalWeights {
    const known = this.#original;
    if (known?.row === row && known.temperature === temperature) return known;
    this.#isPrepared = false;
    const weights = known?.weights ?? new Float64Array(this.#weights.length);
    const largest = row[largestToken(row)] ?? 0;
    const kept = computeWeights(row, largest, temperature, weights);
    this.#original = { ...kept, row, weights, temperature, largest };
    return this.#original;
  }

  /** Null if the weights would lose digits. `most` is the largest logit of `edited`. */
  #computeEdited(
    original: OriginalWeights,
    edited: Float32Array,
    most: number,
    differences: OverwrittenLogits,
  ): WeightSum | null {
    const { temperature, largest } = original;
    const distance = (most - largest) / temperature;
    // `exponential` takes nothing above 0.
    if (!(distance <= 0 && distance > -farthest)) return null;
    const weights = this.#weights;
    if (!this.#isPrepared) weights.set(original.weights);
    let { mass, candidates } = original;
    for (const token of differences.keys()) {
      const before = weights[token] as number;
      const after = exponential(((edited[token] as number) - largest) * (1 / temperature));
      weights[token] = after;
      mass += after - before;
      candidates += (after === 0 ? 0 : 1) - (before === 0 ? 0 : 1);
    }
    return { mass, candidates };
  }
}

/** Writes the weight of each score into `weights`, and returns their sum. No score may exceed `largest`, whose weight is 1. */
export function computeWeights(
  scores: Float32Array,
  largest: number,
  temperature: number,
  weights: Float64Array,
): WeightSum {
  exponentials(scores, largest, 1 / temperature, weights);
  let mass = 0;
  let candidates = 0;
  for (let token = 0; token < weights.length; token++) {
    const weight = weights[token] as number;
    mass += weight;
    if (weight !== 0) candidates++;
  }
  return { mass, candidates };
}
