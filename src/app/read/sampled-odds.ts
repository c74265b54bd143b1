/** The probabilities from which a step's token was drawn, at a temperature that a mod set for the step. Pure. */
import type { SamplingSettings } from "../../base/sampling.ts";
import type { TraceAlternative } from "../../trace/format.ts";

interface DrawnStep {
  /** The likeliest tokens after the mods, most likely first. */
  readonly top: readonly TraceAlternative[];
  readonly temperature: number;
  /** Place in `top` of the token that was drawn, -1 where it is not among them; and its probability when it was drawn. */
  readonly drawn: number;
  readonly probability: number;
  /** Tokens that top-k, top-p and min-p left. */
  readonly candidates: number;
  readonly sampling: SamplingSettings;
}

/**
 * One probability for each token of `top`; null where the record cannot tell it.
 *
 * The record has the log-probabilities before temperature, and of the distribution that was sampled only the drawn
 * token's probability. As temperature T divides every logit, that is enough: p(x) = p(drawn) · exp((l(x) − l(drawn)) / T).
 * Top-k, top-p and min-p keep the likeliest, so that a token further down than `candidates` was left out. A logit bias
 * or a penalty changes logits after the mods, and the record has it in the drawn token's probability alone.
 */
export function sampledOdds(step: DrawnStep): readonly (number | null)[] {
  const { top, temperature, drawn, probability, candidates, sampling } = step;
  const own = top[drawn];
  if (own && temperature === 0) return top.map((_token, place) => (place === drawn ? 1 : 0));
  if (!own || changesLogits(sampling))
    return top.map((_token, place) => (place === drawn ? probability : null));
  return top.map(({ logprob }, place) =>
    place >= candidates ? 0 : probability * Math.exp((logprob - own.logprob) / temperature),
  );
}

function changesLogits(sampling: SamplingSettings): boolean {
  const { logitBias, repetitionPenalty, presencePenalty, frequencyPenalty } = sampling;
  return (
    repetitionPenalty !== 1 ||
    presencePenalty !== 0 ||
    frequencyPenalty !== 0 ||
    Object.keys(logitBias).length > 0
  );
}
