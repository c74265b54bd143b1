/** Options that a mod chooses from by the model's probabilities, without writing any of them. */
import type { ModEvent } from "../event.ts";

/** Events at which continuations are scored. */
type ScoringEvent = Extract<ModEvent, { readonly score: unknown }>;

/** An option with its probability among all options. */
export interface OptionScore {
  readonly text: string;
  /** Natural-log probability of the whole text from here, over everything that the model could say. */
  readonly logprob: number;
  /** Share among the options: all of them together have 1. */
  readonly probability: number;
}

/**
 * The probability of every option from here, in the order given.
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

/** The scores of options by the log-probabilities of their texts. */
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

/** The `count` most likely options from here, the most likely first. Equal options keep their order. */
export async function bestOf(
  event: Pick<ScoringEvent, "score">,
  options: readonly string[],
  count: number = 1,
): Promise<readonly OptionScore[]> {
  const scores = await optionScores(event, options);
  return scores.toSorted((one, other) => other.logprob - one.logprob).slice(0, count);
}
