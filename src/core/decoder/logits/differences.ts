/** The tokens whose logits an edit changed: usually a small part of the vocabulary. */
import type { TokenId } from "../../sdk/request.ts";
import { nextDifference } from "./logits-search.ts";

/** Each token whose logit may have changed, with its logit before the edit. */
export type Differences = ReadonlyMap<TokenId, number>;

/** If more than this share of the vocabulary differs, a loop over all logits costs less than a loop over the differences. */
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
