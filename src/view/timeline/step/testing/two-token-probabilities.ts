/** Probabilities of a step with two possible tokens, for tests: " a" has the probability `first`, " b" has the rest. */
import type { TraceDistribution, TraceTopK } from "../../../../core/trace/format/format.ts";

/** In the form of a forward pass's record. */
export const twoTokenProbabilities = (first: number): TraceDistribution => ({
  entropy: 1,
  top: [
    { token: 1, text: " a", logprob: Math.log(first) },
    { token: 2, text: " b", logprob: Math.log(1 - first) },
  ],
});

/** In the form of a mod call's record. The mod asked for more tokens than there are. */
export const twoTokenTopK = (first: number): TraceTopK => ({
  asked: 3,
  tokens: [1, 2],
  logprobs: [Math.log(first), Math.log(1 - first)],
});
