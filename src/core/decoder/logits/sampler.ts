/** Samples one token from a row of logits. The caller passes one uniform random number. */
import { type CutOffName, cutOffNames, hasBiasOrPenalty } from "../../base/sampling.ts";
import type { SamplingSettings, TokenId } from "../../sdk/request.ts";
import type { TokenChoice, TokenHistory } from "../ports/logits.ts";
import { SMALLEST_EXPONENT } from "./exponential.ts";
import { largestToken } from "./logits-search.ts";
import { SoftmaxWeights, type UneditedLogits, type WeightSum } from "./softmax-weights.ts";

export interface Sampler {
  /**
   * Logit bias, penalties, temperature, top-k, top-p, min-p, then the first token, by id, at which the sum of
   * probabilities exceeds `draw`, uniform in [0, 1). Each cut-off works on the tokens that the cut-off before it kept, and keeps
   * the lower ids among equally likely tokens. The logits are not changed.
   * @param original the logits before the edit, if they are sampled too: equal logits are then weighed only once.
   */
  sample(
    logits: Float32Array,
    settings: SamplingSettings,
    history: TokenHistory,
    draw: number,
    original?: UneditedLogits,
  ): TokenChoice;
  /**
   * The choice that `sample` would return if the draw had taken this token. Its probability is 0 if a cut-off removed
   * the token.
   */
  choiceOf(
    token: TokenId,
    logits: Float32Array,
    settings: SamplingSettings,
    history: TokenHistory,
  ): TokenChoice;
  /** Computes in advance what `sample` needs of logits from which others may be made. */
  prepare(logits: Float32Array, settings: SamplingSettings): void;
}

/** Makes a sampler with working memory for rows of `vocabularySize`. It never sorts the vocabulary. */
export function createSampler(vocabularySize: number): Sampler {
  const scores = new Float32Array(vocabularySize);
  const weights = new Float64Array(vocabularySize);
  const softmaxWeights = new SoftmaxWeights(weights);

  /** Computes the weights and applies the cut-offs. Returns the most likely token and the sum of the weights; at temperature 0 the sum is null. */
  function weigh(
    logits: Float32Array,
    settings: SamplingSettings,
    history: TokenHistory,
    original?: UneditedLogits,
  ): { readonly best: TokenId; readonly kept: WeightSum | null } {
    const isProcessed = hasBiasOrPenalty(settings);
    const processed = isProcessed ? process(logits, scores, settings, history) : logits;
    const best = largestToken(processed);
    const { temperature } = settings;
    if (temperature === 0) return { best, kept: null };
    const all = softmaxWeights.compute(processed, best, temperature, isProcessed ? undefined : original);
    return { best, kept: applyCutOffs(weights, all, settings, { best, count: vocabularySize }) };
  }

  return {
    sample(logits, settings, history, draw, original) {
      const { best, kept } = weigh(logits, settings, history, original);
      return kept ? chooseByWeight(weights, kept, draw) : { token: best, probability: 1, candidates: 1 };
    },
    choiceOf(token, logits, settings, history) {
      const { best, kept } = weigh(logits, settings, history);
      if (kept === null) return { token, probability: token === best ? 1 : 0, candidates: 1 };
      return { token, probability: (weights[token] ?? 0) / kept.mass, candidates: kept.candidates };
    },
    prepare(logits, settings) {
      if (settings.temperature === 0 || hasBiasOrPenalty(settings)) return;
      softmaxWeights.prepare(logits, settings.temperature);
    },
  };
}

/**
 * Applies top-k, top-p and min-p: sets the weights of removed tokens to 0 and returns the sum of the others. `kept` is the sum over
 * all `count` tokens; `weights` may have fewer, if every token that it lacks would be removed.
 */
export function applyCutOffs(
  weights: Float64Array,
  kept: WeightSum,
  settings: SamplingSettings,
  all: Weighed,
): WeightSum {
  return cutOffNames.reduce((left, name) => cutOffs[name](weights, left, settings[name], all), kept);
}

/** The token that weighs most, and how many tokens the weights stand for. */
interface Weighed {
  readonly best: number;
  readonly count: number;
}

/** Each cut-off: takes its value and the weights so far, returns the sum that it keeps. At the neutral value it keeps everything. */
const cutOffs: Readonly<
  Record<CutOffName, (weights: Float64Array, left: WeightSum, value: number, all: Weighed) => WeightSum>
> = {
  topK(weights, left, topK, { count }) {
    if (topK === 0) return left;
    return keepMostLikely(weights, left, { mass: Number.POSITIVE_INFINITY, candidates: topK }, count);
  },
  topP(weights, left, topP, { count }) {
    if (topP === 1) return left;
    return keepMostLikely(weights, left, { mass: topP * left.mass, candidates: count }, count);
  },
  minP(weights, left, minP, { best }) {
    return minP === 0 ? left : keepAtLeast(weights, minP * (weights[best] as number));
  },
};

/** Copies the row into `scores` with bias and penalties. */
function process(
  logits: Float32Array,
  scores: Float32Array,
  settings: SamplingSettings,
  history: TokenHistory,
): Float32Array {
  scores.set(logits);
  applyBiasAndPenalties(settings, history, (token, by) => {
    if (token < scores.length) scores[token] = by(scores[token] ?? 0);
  });
  return scores;
}

/** Applies bias and penalties: calls `change` once for each change of a token's score. Between two changes a score is rounded to float32. */
export function applyBiasAndPenalties(
  { logitBias, repetitionPenalty, presencePenalty, frequencyPenalty }: SamplingSettings,
  { tokens, promptLength }: TokenHistory,
  change: (token: TokenId, by: (score: number) => number) => void,
): void {
  for (const [token, bias] of Object.entries(logitBias)) change(Number(token), (score) => score + bias);
  if (repetitionPenalty !== 1) {
    const penalized = (score: number) => (score > 0 ? score / repetitionPenalty : score * repetitionPenalty);
    for (const token of new Set(tokens)) change(token, penalized);
  }
  if (presencePenalty !== 0 || frequencyPenalty !== 0) {
    for (const [token, count] of counted(tokens.slice(promptLength))) {
      change(token, (score) => score - presencePenalty - frequencyPenalty * count);
    }
  }
}

function counted(tokens: readonly TokenId[]): Map<TokenId, number> {
  const counts = new Map<TokenId, number>();
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
}

/** Eight buckets per power of two, from weight 1 (bucket 0) down to the smallest that `exponential` gives. */
const BUCKETS = 8 * (2 + Math.ceil(-SMALLEST_EXPONENT / Math.LN2));

/** The bucket, from the upper 32 bits of a weight: the exponent (1023 for weight 1) and the first three bits of the fraction. */
function bucketOf(upperWord: number): number {
  return (1023 << 3) - (upperWord >>> 17);
}

/**
 * Keeps the most likely tokens, at least one, until their number or their sum reaches `limit`, and sets the other weights to 0. A
 * histogram finds the bucket in which the limit falls; only the tokens of that bucket are sorted. `count`: the tokens that `kept` sums.
 */
function keepMostLikely(weights: Float64Array, kept: WeightSum, limit: WeightSum, count: number): WeightSum {
  // All tokens below this bucket together weigh less than the limit leaves over, so the limit is reached above it.
  const floor = Math.max(Number.MIN_VALUE, (kept.mass - limit.mass) / count);
  const { border, above } = findBorder(weights, floor, limit);
  const words = readUpperHalves(weights);
  const inBorder: TokenId[] = [];
  for (let token = 0; token < weights.length; token++) {
    const weight = weights[token] as number;
    const bucket = weight < floor ? BUCKETS + 1 : bucketOf(words[2 * token + 1] as number);
    if (bucket === border) inBorder.push(token);
    if (bucket > border) weights[token] = 0;
  }
  let { mass, candidates } = above;
  inBorder.sort((first, second) => (weights[second] ?? 0) - (weights[first] ?? 0));
  for (const token of inBorder) {
    if (candidates > 0 && (candidates >= limit.candidates || mass >= limit.mass)) {
      weights[token] = 0;
    } else {
      candidates += 1;
      mass += weights[token] ?? 0;
    }
  }
  return { mass, candidates };
}

/** The first bucket that reaches the limit, and the number and sum of the tokens in the buckets above. */
function findBorder(
  weights: Float64Array,
  floor: number,
  limit: WeightSum,
): { border: number; above: WeightSum } {
  const words = readUpperHalves(weights);
  const counts = new Float64Array(BUCKETS);
  const masses = new Float64Array(BUCKETS);
  for (let token = 0; token < weights.length; token++) {
    const weight = weights[token] as number;
    if (weight < floor) continue;
    const bucket = bucketOf(words[2 * token + 1] as number);
    (counts[bucket] as number) += 1;
    (masses[bucket] as number) += weight;
  }
  let above: WeightSum = { mass: 0, candidates: 0 };
  for (let border = 0; border < BUCKETS; border++) {
    const mass = above.mass + (masses[border] ?? 0);
    const candidates = above.candidates + (counts[border] ?? 0);
    // The most likely token is kept at any limit.
    if (candidates > 0 && (candidates >= limit.candidates || mass >= limit.mass)) return { border, above };
    above = { mass, candidates };
  }
  return { border: BUCKETS, above };
}

/** Little-endian, as WebAssembly is: the upper half of weight i is word 2i + 1. */
function readUpperHalves(weights: Float64Array): Uint32Array {
  return new Uint32Array(weights.buffer);
}

function keepAtLeast(weights: Float64Array, smallest: number): WeightSum {
  let mass = 0;
  let candidates = 0;
  for (let token = 0; token < weights.length; token++) {
    const weight = weights[token] ?? 0;
    if (weight < smallest) {
      weights[token] = 0;
    } else {
      mass += weight;
      candidates++;
    }
  }
  return { mass, candidates };
}

/** Walks the tokens by id until their weights exceed the drawn part of the mass. */
export function chooseByWeight(
  weights: Float64Array,
  { mass, candidates }: WeightSum,
  draw: number,
): TokenChoice {
  const target = draw * mass;
  let sum = 0;
  let chosen = 0;
  for (let token = 0; token < weights.length && sum <= target; token++) {
    const weight = weights[token] ?? 0;
    if (weight === 0) continue;
    sum += weight;
    chosen = token;
  }
  return { token: chosen, probability: (weights[chosen] ?? 0) / mass, candidates };
}
