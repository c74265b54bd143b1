/** The probabilities from which a step's token was drawn, at a temperature that a mod set for the step. Pure. */
import { hasBiasOrPenalty, type SamplingSettings } from "../../../core/base/sampling.ts";
import type { TraceTopToken } from "../../../core/trace/format/format.ts";

interface DrawnStep {
  /** The most likely tokens after the mods, most likely first. */
  readonly top: readonly TraceTopToken[];
  readonly temperature: number;
  /**
   * Place of the drawn token in `top`, or -1 if `top` does not have it. `probability`: the probability of this token in the
   * draw.
   */
  readonly drawn: number;
  readonly probability: number;
  /** Number of tokens that top-k, top-p and min-p left. */
  readonly candidates: number;
  readonly sampling: SamplingSettings;
}

/**
 * One probability for each token of `top`; null if it does not follow from the record.
 *
 * The record has the log-probabilities of `top` before temperature, and the probability of the drawn token after it. That
 * is enough: as the temperature T divides every logit, p(x) = p(drawn) · exp((l(x) − l(drawn)) / T). Top-k, top-p and min-p
 * keep the most likely tokens, so a token at place `candidates` or later was left out and has probability 0. With a logit
 * bias or a penalty the formula does not hold, since these change logits after `top` was recorded: then only the
 * probability of the drawn token is known.
 */
export function probabilitiesInDraw(step: DrawnStep): readonly (number | null)[] {
  const { top, temperature, drawn, probability, candidates, sampling } = step;
  const own = top[drawn];
  if (own && temperature === 0) return top.map((_token, place) => (place === drawn ? 1 : 0));
  if (!own || hasBiasOrPenalty(sampling))
    return top.map((_token, place) => (place === drawn ? probability : null));
  return top.map(({ logprob }, place) =>
    place >= candidates ? 0 : probability * Math.exp((logprob - own.logprob) / temperature),
  );
}
