/** Where the logits that mods edited differ from what they were made from: few of a vocabulary's, as a rule. */
import type { TokenId } from "../../sdk/request.ts";
import { nextDifference } from "./logits-search.ts";

/** Each token that may differ, with its logit before. */
export type Differences = ReadonlyMap<TokenId, number>;

/** Up to this share of a vocabulary, going through what differs costs less than going through all of it. */
const MOST = 1 / 32;

export function mostDifferences(vocabularySize: number): number {
  return Math.floor(vocabularySize * MOST);
}

/** Null if more than `mostDifferences` logits differ. */
export function differencesBetween(before: Float32Array, after: Float32Array): Differences | null {
  const most = mostDifferences(before.length);
  const found = new Map<TokenId, number>();
  let token = nextDifference(before, after, 0);
  for (; token < before.length; token = nextDifference(before, after, token + 1)) {
    if (found.size === most) return null;
    found.set(token, before[token] as number);
  }
  return found;
}
