/** Probabilities and bounds from the summary of logits on the GPU. Pure functions. */

import { traceLimits } from "../../trace/format/limits.ts";
import type { LogitsSummary } from "../ports/device-logits.ts";
import type { Distribution } from "../ports/logits.ts";
import { exponential } from "./exponential.ts";

/** `distributionOf` of the whole row, as exact as the GPU's sums. `logSumExp` is NaN if the row contains NaN, and -Infinity if all logits are. */
export function distributionOfSummary(summary: LogitsSummary): Distribution {
  const { tokens, logits, pieces, isBroken } = summary;
  const reference = isBroken ? Number.NaN : (logits[0] ?? Number.NEGATIVE_INFINITY);
  let weight = 0;
  let weighted = 0;
  for (const piece of pieces) {
    const d = piece.largest - reference;
    const share = d <= 0 ? exponential(d) : 0;
    if (share === 0) continue;
    weight += share * piece.weight;
    weighted += share * (piece.weighted + d * piece.weight);
  }
  const logSumExp = reference + Math.log(weight);
  return {
    logSumExp,
    entropy: Math.max(0, (Math.log(weight) - weighted / weight) / Math.LN2),
    top: Array.from(tokens.subarray(0, traceLimits.alternatives), (token, place) => ({
      token,
      logprob: (logits[place] as number) - logSumExp,
    })),
    sums: { reference, weight, weighted },
  };
}

/** The logit of a token; null if the summary does not list the token and is not complete (then it is -Infinity). */
export function listedLogit({ tokens, logits, isComplete }: LogitsSummary, token: number): number | null {
  const place = tokens.indexOf(token);
  if (place >= 0) return logits[place] as number;
  return isComplete ? Number.NEGATIVE_INFINITY : null;
}

/** The sum of the sampler's weights over the row; the most likely token has the weight 1. */
export function sumOfWeights({ logits, pieces, temperature }: LogitsSummary): number {
  const largest = logits[0] ?? Number.NEGATIVE_INFINITY;
  return pieces.reduce((mass, piece) => {
    const share = exponential((piece.largest - largest) * (1 / temperature));
    return share === 0 ? mass : mass + share * piece.scaled;
  }, 0);
}
