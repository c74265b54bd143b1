/** The tokens whose logits an edit changed: usually a small part of the vocabulary. */
import type { TokenId } from "../../sdk/request.ts";

/** Each token whose logit may have changed, with its logit before the edit. */
export type OverwrittenLogits = ReadonlyMap<TokenId, number>;

/** If more than this share of the vocabulary differs, a loop over all logits costs less than a loop over the differences. */
const MOST = 1 / 32;

/** The most differences that are worth a list. */
export function mostDifferences(vocabularySize: number): number {
  return Math.floor(vocabularySize * MOST);
}

/** Null if more than `mostDifferences` logits differ. */
export function findOverwrittenLogits(before: Float32Array, after: Float32Array): OverwrittenLogits | null {
  const most = mostDifferences(before.length);
  const found = new Map<TokenId, number>();
  let token = nextDifference(before, after, 0);
  for (; token < before.length; token = nextDifference(before, after, token + 1)) {
    if (found.size === most) return null;
    found.set(token, before[token] as number);
  }
  return found;
}

/** The first place from `from` on at which two rows of equal length differ; the length if they are equal. NaN differs from all. */
function nextDifference(row: Float32Array, other: Float32Array, from: number): number {
  let place = from;
  for (const end = row.length - 7; place < end; place += 8) {
    if (
      row[place] !== other[place] ||
      row[place + 1] !== other[place + 1] ||
      row[place + 2] !== other[place + 2] ||
      row[place + 3] !== other[place + 3] ||
      row[place + 4] !== other[place + 4] ||
      row[place + 5] !== other[place + 5] ||
      row[place + 6] !== other[place + 6] ||
      row[place + 7] !== other[place + 7]
    )
      break;
  }
  while (place < row.length && row[place] === other[place]) place++;
  return place;
}
