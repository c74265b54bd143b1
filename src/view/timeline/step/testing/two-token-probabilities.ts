/** Odds of a step between two tokens, for tests: " a", which is this likely, and " b". */
import type { TraceDistribution, TraceTopK } from "../../../../core/trace/format/format.ts";

/** As the record of a pass has them. */
export const twoTokenProbabilities = (first: number): TraceDistribution => ({
  entropy: 1,
  top: [
    { token: 1, text: " a", logprob: Math.log(first) },
    { token: 2, text: " b", logprob: Math.log(1 - first) },
  ],
});

/** As the call of a mod that asked for more than there are has them. */
export const twoTokensSeen = (first: number): TraceTopK => ({
  asked: 3,
  tokens: [1, 2],
  logprobs: [Math.log(first), Math.log(1 - first)],
});
