/** Searches a row of logits for the few tokens that matter; eight other tokens are skipped at a time. */
import type { TokenId } from "../../sdk/request.ts";

/** The first place from `from` on whose logit is above `threshold`; the row's length if there is none. NaN is never above. */
export function nextPlaceAbove(logits: Float32Array, from: number, threshold: number): number {
  let place = from;
  for (const end = logits.length - 7; place < end; place += 8) {
    if (
      (logits[place] as number) > threshold ||
      (logits[place + 1] as number) > threshold ||
      (logits[place + 2] as number) > threshold ||
      (logits[place + 3] as number) > threshold ||
      (logits[place + 4] as number) > threshold ||
      (logits[place + 5] as number) > threshold ||
      (logits[place + 6] as number) > threshold ||
      (logits[place + 7] as number) > threshold
    )
      break;
  }
  while (place < logits.length && !((logits[place] as number) > threshold)) place++;
  return place;
}

/** The token with the largest logit; if several have it, the lowest id. */
export function largestToken(logits: Float32Array): TokenId {
  let best = 0;
  let token = nextPlaceAbove(logits, 0, Number.NEGATIVE_INFINITY);
  while (token < logits.length) {
    best = token;
    token = nextPlaceAbove(logits, token + 1, logits[token] as number);
  }
  return best;
}
