/**
 * The distribution from which the sampler drew: the probabilities after temperature, top-k, top-p and min-p, as far as they
 * follow from the record. Pure. A share is a token's probability in the draw. The listed tokens are the recorded ones: the
 * most likely tokens, and the drawn token. `others` is the share of all unlisted tokens together.
 *
 * Example, at temperature 1: a 0.5, b 0.25, c 0.15 and d 0.05 are listed; two unlisted tokens have 0.05 together. With top-p
 * 0.8 the sampler keeps a, b and c (sum 0.9): their shares are 0.556, 0.278 and 0.167, d has 0, and `others` is 0. Without a
 * cut-off, the shares are the probabilities, and `others` is 0.05.
 *
 * - If the result of the draw is recorded (a drawn, probability 0.556, 3 candidates), every share follows from it.
 * - If not (the draw as it would have been without the mods), the cut-offs are applied to the list, and the weight of the
 *   unlisted tokens is estimated: at temperature 2 without a cut-off, a has 0.339 here and 0.332 in the sampler.
 *
 * `cut-offs.ts` shows a recorded draw one stage earlier: running sums before any cut-off, and the rank at which each one cuts.
 */

import {
  type CutOffName,
  cutOffNames,
  hasBiasOrPenalty,
  type SamplingSettings,
} from "../../../core/base/sampling.ts";
import type { SampledRecord } from "../../../core/trace/format/format.ts";
import { type ListedProbabilities, type TokenProbability, tokenIdentity } from "./step-probabilities.ts";

export interface DrawCandidate extends TokenProbability {
  /** Probability in the draw; 0 if a cut-off excluded the token. */
  readonly share: number;
}

export interface TokenDrawDistribution {
  /** The most likely tokens, as in the probabilities. */
  readonly tokens: readonly DrawCandidate[];
  /** Total probability of tokens that could be drawn but are not in the record. */
  readonly others: number;
  /** True if the shares may be wrong by more than half a percent, because the weights of unrecorded tokens are estimated. */
  readonly isEstimate: boolean;
}

/**
 * The input: probabilities and settings. `known`: the recorded result of this draw, if there is one. With it, the distribution
 * is exact.
 */
export interface TokenDrawInput {
  readonly probabilities: ListedProbabilities;
  readonly temperature: number;
  readonly sampling: SamplingSettings;
  readonly vocabularySize: number;
  readonly known: Pick<SampledRecord, "token" | "text" | "probability" | "candidates"> | null;
}

/**
 * Null if it is unknown: at temperature 0 nothing is drawn, a bias or penalty changes probabilities after they were recorded, and
 * a known result follows only from a listed token.
 */
export function tokenDrawDistribution(drawing: TokenDrawInput): TokenDrawDistribution | null {
  if (drawing.temperature === 0 || hasBiasOrPenalty(drawing.sampling)) return null;
  return drawing.known ? exactDistribution(drawing, drawing.known) : estimatedDistribution(drawing);
}

/**
 * Computes all shares from the known share of the drawn token: p(x) = p(drawn) · (before(x) / before(drawn))^(1/T). The most
 * likely `candidates` tokens could be drawn.
 */
function exactDistribution(
  { probabilities, temperature }: TokenDrawInput,
  known: NonNullable<TokenDrawInput["known"]>,
): TokenDrawDistribution | null {
  const drawnToken = probabilities.list.find((each) => tokenIdentity(each) === tokenIdentity(known));
  if (!drawnToken || drawnToken.probability === 0) return null;
  const tokens = probabilities.list.map((each, place) => {
    const couldBeDrawn = place < known.candidates || each === drawnToken;
    const share = couldBeDrawn
      ? known.probability * (each.probability / drawnToken.probability) ** (1 / temperature)
      : 0;
    return { ...each, share };
  });
  const listedShare = tokens.reduce((sum, { share }) => sum + share, 0);
  const isWhole = tokens.filter(({ share }) => share > 0).length >= known.candidates;
  return { tokens, others: isWhole ? 0 : Math.max(0, 1 - listedShare), isEstimate: false };
}

/**
 * The weight of the unlisted tokens lies between two bounds, and so does what the cut-offs leave of it. The shares are computed for
 * both bounds, and the mean is shown.
 */
function estimatedDistribution(drawing: TokenDrawInput): TokenDrawDistribution {
  const { probabilities, temperature, vocabularySize } = drawing;
  const listedProbability = probabilities.list.reduce((sum, { probability }) => sum + probability, 0);
  const unlistedProbability = Math.max(0, 1 - listedProbability);
  const unlistedCount = Math.max(1, vocabularySize - probabilities.list.length);
  const largestUnlisted = Math.max(probabilities.mostOther, unlistedProbability / unlistedCount);
  // The probability is spread evenly on all unlisted tokens, or lies on as few of them as possible.
  const evenTail = unlistedCount * (unlistedProbability / unlistedCount) ** (1 / temperature);
  const steepTail =
    largestUnlisted > 0 ? (unlistedProbability / largestUnlisted) * largestUnlisted ** (1 / temperature) : 0;
  const withLeast = applyCutOffs(drawing, Math.min(evenTail, steepTail), "least");
  const withMost = applyCutOffs(drawing, Math.max(evenTail, steepTail), "most");
  const tokens = withLeast.tokens.map((token, place) => ({
    ...token,
    share: (token.share + (withMost.tokens[place]?.share ?? 0)) / 2,
  }));
  const distance = Math.max(
    ...withLeast.tokens.map(({ share }, place) => Math.abs(share - (withMost.tokens[place]?.share ?? 0))),
  );
  return { tokens, others: (withLeast.others + withMost.others) / 2, isEstimate: distance > 0.005 };
}

/**
 * @param tail weight of all unlisted tokens together
 * @param bound whether the cut-offs leave as little of this weight as possible, or as much
 */
function applyCutOffs(
  { probabilities, temperature, sampling, vocabularySize }: TokenDrawInput,
  tail: number,
  bound: "least" | "most",
): Pick<TokenDrawDistribution, "tokens" | "others"> {
  const weights = probabilities.list.map(({ probability }) => probability ** (1 / temperature));
  const listed: ListedWeights = {
    weights,
    unlistedCount: Math.max(1, vocabularySize - weights.length),
    bound,
    mostOther: probabilities.mostOther ** (1 / temperature),
  };
  let others = tail;
  for (const name of cutOffNames) others = cutBy[name](sampling[name], others, listed);
  const total = sumOf(weights) + others;
  return {
    tokens: probabilities.list.map((each, place) => ({ ...each, share: (weights[place] ?? 0) / total })),
    others: others / total,
  };
}

/** The weights of the listed tokens, most likely first, and what is known about the other tokens. */
interface ListedWeights {
  /** A cut-off sets the weight of an excluded token to 0. */
  readonly weights: number[];
  readonly unlistedCount: number;
  readonly bound: "least" | "most";
  /** Upper bound of the weight of each unlisted token. */
  readonly mostOther: number;
}

/** Where a sum equals a limit up to rounding, the bounds lie on its two sides. */
const besideRounding = { least: 1 - 1e-6, most: 1 + 1e-6 } as const;

const sumOf = (weights: readonly number[]) => weights.reduce((sum, weight) => sum + weight, 0);

/** Applies each cut-off: removes tokens from the list, and returns a bound of the remaining weight of the other tokens. */
const cutBy: Readonly<Record<CutOffName, (value: number, others: number, listed: ListedWeights) => number>> =
  {
    topK(topK, others, { weights, unlistedCount, bound, mostOther }) {
      if (topK === 0 || topK >= weights.length + unlistedCount) return others;
      weights.fill(0, topK);
      const room = Math.max(0, topK - weights.length);
      // The most likely ones of the unlisted tokens have at least the mean weight.
      return bound === "least" ? (others * room) / unlistedCount : Math.min(others, room * mostOther);
    },
    topP(topP, others, { weights, bound, mostOther }) {
      if (topP === 1) return others;
      const limit = topP * besideRounding[bound] * (sumOf(weights) + others);
      let mass = 0;
      weights.forEach((weight, place) => {
        if (mass >= limit && place > 0) weights[place] = 0;
        mass += weight;
      });
      const missing = limit - sumOf(weights);
      if (missing <= 0) return 0;
      // The token that reaches the limit stays whole.
      return Math.min(others, bound === "least" ? missing : missing + mostOther);
    },
    minP(minP, others, { weights, unlistedCount, bound, mostOther }) {
      if (minP === 0) return others;
      const threshold = (minP / besideRounding[bound]) * (weights[0] ?? 0);
      weights.forEach((weight, place) => {
        if (weight < threshold) weights[place] = 0;
      });
      if (mostOther < threshold) return 0;
      // As many tokens as possible lie just below the threshold.
      return bound === "least" ? Math.max(0, others - unlistedCount * threshold) : others;
    },
  };
