/** The distribution of a step of which only the most likely tokens are known. */
import { traceLimits } from "../../trace/format/limits.ts";
import type { ListedLogits } from "../ports/listed-logits.ts";
import type { Distribution } from "../ports/logits.ts";
import { type KnownLogits, rankTokens } from "./known-scores.ts";

/** `entropy` is the lower bound of the entropy; `partial` has the upper bound. */
export function distributionOfKnownLogits({ scores, rest, vocabularySize }: KnownLogits): Distribution {
  const ranked = rankTokens({ scores });
  const reference = ranked[0]?.score ?? 0;
  let weight = 0;
  let weighted = 0;
  for (const { score } of ranked) {
    const each = Math.exp(score - reference);
    weight += each;
    weighted += each * (score - reference);
  }
  const known = weight * Math.exp(reference);
  const all = known + rest.most;
  const logSumExp = Math.log(all);
  const share = rest.most / all;
  // The entropy of the known tokens, at their probabilities beside the rest.
  const own = ranked.reduce((sum, { score }) => {
    const logprob = score - logSumExp;
    return sum - Math.exp(logprob) * logprob;
  }, 0);
  const others = Math.max(1, vocabularySize - scores.size);
  const one = share > 0 ? -share * Math.log(share) : 0;
  const equal = share > 0 ? share * (Math.log(others) - Math.log(share)) : 0;
  return {
    logSumExp,
    entropy: (own + one) / Math.LN2,
    top: ranked
      .slice(0, traceLimits.alternatives)
      .map(({ token, score }) => ({ token, logprob: score - logSumExp })),
    sums: { reference, weight, weighted },
    ...(share > 0 && { partial: { rest: share, mostEntropy: (own + equal) / Math.LN2 } }),
  };
}

/** The distribution of the logits that a server listed. */
export function distributionOfListed({ tokens, logprobs, vocabularySize }: ListedLogits): Distribution {
  const scores = new Map(Array.from(tokens, (token, place) => [token, logprobs[place] as number]));
  const listed = logprobs.reduce((sum, logprob) => sum + Math.exp(logprob), 0);
  const most = tokens.length >= vocabularySize ? 0 : Math.max(0, 1 - listed);
  return distributionOfKnownLogits({
    scores,
    vocabularySize,
    border: logprobs.at(-1) ?? 0,
    rest: { least: most, most },
  });
}
