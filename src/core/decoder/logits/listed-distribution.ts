/** The distribution of a step of which only the most likely tokens are known. */
import type { TokenId } from "../../sdk/request.ts";
import { traceLimits } from "../../trace/format/limits.ts";
import type { ListedLogits } from "../ports/listed-logits.ts";
import type { Distribution } from "../ports/logits.ts";
import { type KnownLogits, rankTokens } from "./known-scores.ts";

/** Known tokens with their scores, most likely first. */
interface RankedScores {
  readonly tokens: ArrayLike<TokenId>;
  readonly scores: Iterable<number> & ArrayLike<number>;
  /** Number of known tokens, including tokens that cannot be chosen. */
  readonly known: number;
  readonly vocabularySize: number;
  /** Σ exp(score) of all other tokens, at most. */
  readonly mostRest: number;
}

export function distributionOfKnownLogits({ scores, rest, vocabularySize }: KnownLogits): Distribution {
  const ranked = rankTokens({ scores });
  return distributionOfRanked({
    tokens: ranked.map(({ token }) => token),
    scores: ranked.map(({ score }) => score),
    known: scores.size,
    vocabularySize,
    mostRest: rest.most,
  });
}

/** `entropy` is the lower bound of the entropy; `partial` has the upper bound. */
function distributionOfRanked({
  tokens,
  scores,
  known: count,
  vocabularySize,
  mostRest,
}: RankedScores): Distribution {
  const reference = scores[0] ?? 0;
  let weight = 0;
  let weighted = 0;
  for (const score of scores) {
    const each = Math.exp(score - reference);
    weight += each;
    weighted += each * (score - reference);
  }
  const known = weight * Math.exp(reference);
  const all = known + mostRest;
  const logSumExp = Math.log(all);
  const share = mostRest / all;
  // The entropy of the known tokens, at their probabilities beside the rest.
  let own = 0;
  for (const score of scores) {
    const logprob = score - logSumExp;
    own -= Math.exp(logprob) * logprob;
  }
  const others = Math.max(1, vocabularySize - count);
  const one = share > 0 ? -share * Math.log(share) : 0;
  const equal = share > 0 ? share * (Math.log(others) - Math.log(share)) : 0;
  return {
    logSumExp,
    entropy: (own + one) / Math.LN2,
    top: Array.from({ length: Math.min(scores.length, traceLimits.alternatives) }, (_, place) => ({
      token: tokens[place] as TokenId,
      logprob: (scores[place] as number) - logSumExp,
    })),
    sums: { reference, weight, weighted },
    ...(share > 0 && { partial: { rest: share, mostEntropy: (own + equal) / Math.LN2 } }),
  };
}

/** The distribution of the logits that a server listed. Makes no map of the tokens, because each step comes here. */
export function distributionOfListed({ tokens, logprobs, vocabularySize }: ListedLogits): Distribution {
  let listed = 0;
  for (const logprob of logprobs) listed += Math.exp(logprob);
  const impossible = logprobs.indexOf(Number.NEGATIVE_INFINITY);
  return distributionOfRanked({
    tokens,
    scores: impossible < 0 ? logprobs : logprobs.subarray(0, impossible),
    known: tokens.length,
    vocabularySize,
    mostRest: tokens.length >= vocabularySize ? 0 : Math.max(0, 1 - listed),
  });
}
