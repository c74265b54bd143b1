/** The most likely tokens of a row of logits, in the form that is sent to mods. */

import type { WireTop } from "../../sdk/wire-event.ts";
import { exponential } from "./exponential.ts";
import { largestTokens } from "./top-k-search.ts";

/**
 * The `count` most likely tokens, sorted; among equals the lower id first; never -Infinity.
 * @param logSumExp of the row, if it is known
 * @param tokens the most likely tokens, if they are known
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
