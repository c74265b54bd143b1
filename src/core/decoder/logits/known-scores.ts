/** The scores of a step of which only some tokens are known, in the order of their scores. */
import type { TokenId } from "../../sdk/request.ts";

/** The known logits of a step, after edits and processors. */
export interface KnownLogits {
  /** The score of each known token; -Infinity if it cannot be chosen. */
  readonly scores: ReadonlyMap<TokenId, number>;
  readonly vocabularySize: number;
  /** No other token has a higher score; -Infinity if no other can be chosen. */
  readonly border: number;
  /** Σ exp(score) of all other tokens: at least and at most. */
  readonly rest: { readonly least: number; readonly most: number };
}

export interface RankedToken {
  readonly token: TokenId;
  readonly score: number;
}

/** The tokens that can be chosen, most likely first; among equal scores the lower id first. */
export function rankTokens({ scores }: Pick<KnownLogits, "scores">): readonly RankedToken[] {
  const ranked: RankedToken[] = [];
  for (const [token, score] of scores) if (score > Number.NEGATIVE_INFINITY) ranked.push({ token, score });
  return ranked.sort((a, b) => b.score - a.score || a.token - b.token);
}

/** The first token of `rankTokens`; undefined if none can be chosen. */
export function mostLikelyToken({ scores }: Pick<KnownLogits, "scores">): RankedToken | undefined {
  let best: RankedToken | undefined;
  for (const [token, score] of scores) {
    if (score === Number.NEGATIVE_INFINITY) continue;
    const isBetter = !best || score > best.score || (score === best.score && token < best.token);
    if (isBetter) best = { token, score };
  }
  return best;
}
