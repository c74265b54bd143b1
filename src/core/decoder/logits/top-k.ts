/** The most likely tokens of a row of logits, as a mod is sent them. */

import type { WireTop } from "../../sdk/wire-event.ts";
import { exponential } from "./exponential.ts";
import { largestTokens } from "./top-k-search.ts";

/**
 * The `count` most likely tokens, sorted; of equals the lower id first. -Infinity is never among them.
 * @param logSumExp of the row, where it is known
 * @param tokens these tokens, where they are known
 */
export function topKOf(
  logits: Float32Array,
  count: number,
  logSumExp?: number,
  tokens = largestTokens(logits, count),
): WireTop {
  const first = logits[tokens[0] ?? 0] ?? Number.NEGATIVE_INFINITY;
  const total = logSumExp ?? (tokens.length === 0 ? 0 : logSumExpAbout(logits, first));
  return { tokens, logprobs: Float32Array.from(tokens, (token) => (logits[token] ?? 0) - total) };
}

function logSumExpAbout(logits: Float32Array, largestLogit: number): number {
  let sum = 0;
  for (let token = 0; token < logits.length; token++)
    sum += exponential((logits[token] as number) - largestLogit);
  return largestLogit + Math.log(sum);
}
