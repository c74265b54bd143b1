/**
 * Draws a token from logits on the GPU. The result is always the token that the sampler on the CPU would take. If only tokens of the
 * summary can be chosen, the draw uses the summary; otherwise the GPU draws. If the GPU's sums are too inexact to decide between two
 * tokens, the result is null, and the caller reads the whole row.
 */
import { type CutOffName, cutOffNames, samplingNumbers } from "../../base/sampling.ts";
import type { SamplingSettings } from "../../sdk/request.ts";
import {
  type CutOffBorder,
  canBeDrawn,
  type DeviceLogits,
  drawErrorBound,
  type LogitsSummary,
  sumErrorBound,
} from "../ports/device-logits.ts";
import type { TokenChoice } from "../ports/logits.ts";
import { exponential, SMALLEST_EXPONENT } from "./exponential.ts";
import { float32AtOrderIndex, orderIndexOfFloat32 } from "./float32-order.ts";
import { sumOfWeights } from "./logits-summary.ts";
import { applyCutOffs, chooseByWeight } from "./sampler.ts";
import { computeWeights, type WeightSum } from "./softmax-weights.ts";

/** Whether the GPU applies the cut-off. If a request sets a cut-off that the GPU does not apply, the caller reads the row. */
export const appliedOnGpu: Readonly<Record<CutOffName, boolean>> = { topK: true, topP: true, minP: true };

const isUnappliedOnGpu = (settings: SamplingSettings) => (name: CutOffName) =>
  !appliedOnGpu[name] && settings[name] !== samplingNumbers[name].neutral;

/** Draws with settings that do not change the logits (see `hasBiasOrPenalty`). Null if the logits must be read back. */
export async function drawFromDeviceLogits(
  row: DeviceLogits,
  settings: SamplingSettings,
  draw: number,
): Promise<TokenChoice | null> {
  const { temperature } = settings;
  const { tokens } = row.summary;
  if (tokens.length === 0 || cutOffNames.some(isUnappliedOnGpu(settings))) return null;
  if (temperature === 0) return { token: tokens[0] as number, probability: 1, candidates: 1 };
  const listed = new Listed(row.summary, temperature);
  const exact = listed.drawExactly(settings, draw);
  if (exact) return exact;
  const { summary } = row;
  if (settings.topK === 0 && settings.topP < 1 && summary.temperature === temperature) {
    const nucleus = listed.drawTopP(settings, draw, sumOfWeights(summary));
    if (nucleus) return nucleus;
  }
  return drawOnGpu(row, settings, draw);
}

/** The tokens of a summary, sorted by id, with the sampler's weights. */
class Listed {
  readonly #tokens: Int32Array;
  readonly #weights: Float64Array;
  readonly #sum: WeightSum;
  readonly #best: number;
  /** Every token outside the summary has the weight 0. */
  readonly #isAll: boolean;
  /** The smallest logit of the summary. The weight of every other token is smaller, or equal after rounding. */
  readonly #least: number;
  readonly #vocabularySize: number;

  constructor({ tokens, logits, isComplete, vocabularySize }: LogitsSummary, temperature: number) {
    const places = Array.from(tokens.keys()).sort((a, b) => (tokens[a] as number) - (tokens[b] as number));
    this.#tokens = Int32Array.from(places, (place) => tokens[place] as number);
    this.#weights = new Float64Array(places.length);
    this.#best = places.indexOf(0);
    const row = Float32Array.from(places, (place) => logits[place] as number);
    this.#sum = computeWeights(row, logits[0] as number, temperature, this.#weights);
    this.#least = this.#weights[places.indexOf(places.length - 1)] as number;
    this.#isAll = isComplete || this.#least === 0;
    this.#vocabularySize = vocabularySize;
  }

  /** Null if unlisted tokens may count. */
  drawExactly(settings: SamplingSettings, draw: number): TokenChoice | null {
    const { topK, topP, minP } = settings;
    const isCut = topK > 0 && topK <= this.#weights.length;
    const isBelow = topK === 0 && topP === 1 && this.#least < minP;
    if (!this.#isAll && !isCut && !isBelow) return null;
    const weights = this.#weights.slice();
    return this.#choose(weights, this.#cutOff(weights, this.#sum, settings), draw);
  }

  /** Applies top-p without top-k. `mass`: the sum of all weights of the row. */
  drawTopP(settings: SamplingSettings, draw: number, mass: number): TokenChoice | null {
    if (!(mass > 0 && mass < Number.POSITIVE_INFINITY)) return null;
    const cutAtTopP = (massFactor: number) => {
      const weights = this.#weights.slice();
      const all = { mass: massFactor * mass, candidates: this.#vocabularySize };
      const nucleus = this.#cutOff(weights, all, { ...settings, minP: 0 });
      return { weights, nucleus };
    };
    // The true mass lies between these two: if both give the same nucleus, so does the true mass.
    const low = cutAtTopP(1 - 2 * sumErrorBound);
    const high = cutAtTopP(1 + 2 * sumErrorBound);
    if (low.nucleus.candidates !== high.nucleus.candidates) return null;
    // A nucleus of all listed tokens may go on with unlisted ones.
    if (high.nucleus.candidates === this.#weights.length) return null;
    const kept = this.#cutOff(low.weights, low.nucleus, { ...settings, topK: 0, topP: 1 });
    return this.#choose(low.weights, kept, draw);
  }

  #cutOff(weights: Float64Array, all: WeightSum, settings: SamplingSettings): WeightSum {
    return applyCutOffs(weights, all, settings, { best: this.#best, count: this.#vocabularySize });
  }

  #choose(weights: Float64Array, kept: WeightSum, draw: number): TokenChoice {
    const choice = chooseByWeight(weights, kept, draw);
    return { ...choice, token: this.#tokens[choice.token] as number };
  }
}

/** The GPU draws; null if its sums do not decide the token. The settings are those of `drawFromDeviceLogits`, with a temperature above 0. */
export async function drawOnGpu(
  row: DeviceLogits,
  settings: SamplingSettings,
  draw: number,
): Promise<TokenChoice | null> {
  const { temperature, topK, topP, minP } = settings;
  const { logits, vocabularySize } = row.summary;
  const largest = logits[0] as number;
  if (!canBeDrawn({ temperature, largest })) return null;
  const weightOf = (logit: number) => exponential((logit - largest) * (1 / temperature));
  const least = leastLogit(largest + SMALLEST_EXPONENT * temperature, (logit) => weightOf(logit) > 0);
  const atMinP = () => leastLogit(largest + Math.log(minP) * temperature, (logit) => weightOf(logit) >= minP);
  const leastKept = minP > 0 ? Math.max(least, atMinP()) : least;
  const drawn = await row.drawToken({ temperature, largest, least, topK, topP, leastKept, draw });
  if (!drawn) return null;
  const { token, logit, place, before, mass, candidates, border } = drawn;
  const errorOf = (of: number) => 2 * drawErrorBound(of, temperature, vocabularySize);
  if (border && !hasUniqueWeight(border.logit, weightOf)) return null;
  if (border && topP < 1 && !isCertainBorder(border, topP, weightOf(border.logit), errorOf(border.whole)))
    return null;
  const weight = weightOf(logit);
  const target = draw * mass;
  const error = errorOf(mass);
  const isCertain = (place === 0 || target - before > error) && before + weight - target > error;
  return isCertain ? { token, probability: weight / mass, candidates } : null;
}

/** Whether no other logit has the same weight. Among tokens with equal weights, the sampler keeps those with lower ids. */
function hasUniqueWeight(logit: number, weightOf: (logit: number) => number): boolean {
  const orderIndex = orderIndexOfFloat32(logit);
  const weight = weightOf(logit);
  if (weight === 0) return true;
  return [orderIndex - 1, orderIndex + 1].every(
    (neighbour) => weightOf(float32AtOrderIndex(neighbour)) !== weight,
  );
}

/** Whether the sampler ends top-p at exactly this token. `weight`: the weight of the last token that top-p keeps. */
function isCertainBorder(
  { whole, above, ties }: CutOffBorder,
  topP: number,
  weight: number,
  error: number,
): boolean {
  const target = topP * whole;
  return target - (above + (ties - 1) * weight) > error && above + ties * weight - target > error;
}

/** The smallest float32 that satisfies the test; `near` or a neighbour of `near`. */
function leastLogit(near: number, isEnough: (logit: number) => boolean): number {
  let orderIndex = orderIndexOfFloat32(near);
  while (isEnough(float32AtOrderIndex(orderIndex))) orderIndex -= 1;
  while (!isEnough(float32AtOrderIndex(orderIndex))) orderIndex += 1;
  return float32AtOrderIndex(orderIndex);
}
