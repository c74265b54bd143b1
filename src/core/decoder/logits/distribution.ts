/** The distribution of a row of logits, `(vocabulary)` float32: normalizer, entropy and most likely tokens. */

import type { TokenId } from "../../sdk/request.ts";
import { traceLimits } from "../../trace/format/limits.ts";
import type { Distribution, LogitSums } from "../ports/logits.ts";
import type { OverwrittenLogits } from "./differences.ts";
import { exponential, exponentials } from "./exponential.ts";
import { nextPlaceAbove } from "./logits-search.ts";

/** Reused for each row. */
let scratch = new Float64Array();

/** Two passes over the row: the largest logits, then the sums. */
export function distributionOf(logits: Float32Array): Distribution {
  const tokens = topTokens(logits, traceLimits.alternatives);
  const reference = logits[tokens[0] ?? 0] ?? Number.NaN;
  if (scratch.length < logits.length) scratch = new Float64Array(logits.length);
  exponentials(logits, reference, 1, scratch);
  let weight = 0;
  let weighted = 0;
  for (let token = 0; token < logits.length; token++) {
    const each = scratch[token] as number;
    weight += each;
    // -∞ has weight 0, and 0 × -∞ is not a number.
    if (each !== 0) weighted += each * ((logits[token] as number) - reference);
  }
  return distributionFromSums(logits, tokens, { reference, weight, weighted });
}

/** An edit has to leave this share of the sum of weights: a smaller rest of a subtraction has too few correct digits. */
const leastLeft = 1e-4;

/**
 * The distribution of edited logits, computed from the distribution of the original logits and the differences. The result equals
 * that of `distributionOf`, up to rounding.
 * @param differences between the original and the edited logits; null if too many differ
 * @param topK returns the most likely tokens of `edited`, sorted
 */
export function distributionOfEdited(
  edited: Float32Array,
  { sums, top }: Distribution,
  differences: OverwrittenLogits | null,
  topK: (count: number) => Iterable<TokenId> = (count) => topTokens(edited, count),
): Distribution {
  if (differences === null) return distributionOf(edited);
  const { reference, weight, weighted } = sums;
  const lowest = top.at(-1)?.token ?? 0;
  const isFull = top.length === Math.min(traceLimits.alternatives, edited.length);
  const border = isFull ? (differences.get(lowest) ?? (edited[lowest] as number)) : Number.NEGATIVE_INFINITY;
  let change = 0;
  let weightedChange = 0;
  let isTopKept = true;
  for (const [token, before] of differences) {
    const after = edited[token] as number;
    if (!(after <= reference)) return distributionOf(edited);
    isTopKept &&= before < border && after < border;
    const gone = exponential(before - reference);
    const come = exponential(after - reference);
    change += come - gone;
    if (gone !== 0) weightedChange -= gone * (before - reference);
    if (come !== 0) weightedChange += come * (after - reference);
  }
  if (!(weight + change > leastLeft * weight)) return distributionOf(edited);
  const tokens = isTopKept ? top.map(({ token }) => token) : Array.from(topK(traceLimits.alternatives));
  return distributionFromSums(edited, tokens, {
    reference,
    weight: weight + change,
    weighted: weighted + weightedChange,
  });
}

function distributionFromSums(
  logits: Float32Array,
  tokens: readonly TokenId[],
  sums: LogitSums,
): Distribution {
  const { reference, weight, weighted } = sums;
  const logSumExp = reference + Math.log(weight);
  return {
    logSumExp,
    entropy: Math.max(0, (Math.log(weight) - weighted / weight) / Math.LN2),
    top: tokens.map((token) => ({ token, logprob: (logits[token] ?? 0) - logSumExp })),
    sums,
  };
}

/** Ids of the `count` largest finite logits, largest first; among equal logits the lower id first. */
export function topTokens(logits: Float32Array, count: number): TokenId[] {
  const tokens: TokenId[] = [];
  let smallestKept = Number.NEGATIVE_INFINITY;
  for (
    let token = nextPlaceAbove(logits, 0, smallestKept);
    token < logits.length;
    token = nextPlaceAbove(logits, token + 1, smallestKept)
  ) {
    const logit = logits[token] as number;
    let place = tokens.length;
    while (place > 0 && (logits[tokens[place - 1] as number] as number) < logit) place--;
    tokens.splice(place, 0, token);
    if (tokens.length > count) tokens.pop();
    if (tokens.length === count) smallestKept = logits[tokens[count - 1] as number] as number;
  }
  return tokens;
}
