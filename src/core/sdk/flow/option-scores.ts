/** Options that a mod chooses from by the model's probabilities, without writing any of them. */
import type { ModEvent } from "../event.ts";

/** Events at which continuations can be scored. */
type ScoringEvent = Extract<ModEvent, { readonly score: unknown }>;

/** An option with its probability among all options. */
export interface OptionScore {
  readonly text: string;
  /** Natural-log probability of the option's whole text, among all texts that the model could write here. */
  readonly logprob: number;
  /** Probability among the options: the probabilities of all options add up to 1. */
  readonly probability: number;
}

/**
 * Returns the probability of every option as the next text, in the order given.
 *
 * @example
 * const [yes] = await optionScores(event, [" yes", " no"]);
 * if (yes.probability > 0.8) return actions.forceTokens(" yes");
 */
export async function optionScores(
  event: Pick<ScoringEvent, "score">,
  options: readonly string[],
): Promise<readonly OptionScore[]> {
  return scoresOf(options, await event.score(options));
}

/** Computes the scores of options from the log-probabilities of their texts. */
export function scoresOf(options: readonly string[], logprobs: readonly number[]): readonly OptionScore[] {
  const most = Math.max(...logprobs);
  const weights = logprobs.map((logprob) => Math.exp(logprob - most));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return options.map((text, place) => ({
    text,
    logprob: logprobs[place] as number,
    probability: (weights[place] as number) / sum,
  }));
}

/** Returns the `count` most likely options, most likely first. Options of equal probability keep their order. */
export async function bestOf(
  event: Pick<ScoringEvent, "score">,
  options: readonly string[],
  count: number = 1,
): Promise<readonly OptionScore[]> {
  const scores = await optionScores(event, options);
  return scores.toSorted((one, other) => other.logprob - one.logprob).slice(0, count);
}
