/**
 * Lays out the tokens of a draw side by side, from 0 to 1, in the sampler's order, which is by id. The random number falls on
 * one of these tokens. Pure.
 */
import type { DrawCandidate, TokenDrawDistribution } from "./drawn-from.ts";
import { keyOf } from "./step-probabilities.ts";

/** A part of the bar; `token` is null for tokens that are not in the record. */
export interface TokenDrawBarPart {
  readonly token: DrawCandidate | null;
  readonly from: number;
  readonly to: number;
}

export interface TokenDrawBar {
  readonly parts: readonly TokenDrawBarPart[];
  /** False if a link left the ids out: then the parts are sorted by probability, and the random number cannot be shown. */
  readonly isOrdered: boolean;
}

/**
 * Unlisted tokens are spread between the listed tokens in proportion to the ids between them, and then shifted so that the
 * drawn token lies under the random number.
 */
export function layOutTokenDraw(
  { tokens, others }: TokenDrawDistribution,
  draw: number | null,
  hit: { readonly token: number; readonly text: string } | null,
): TokenDrawBar {
  const kept = tokens.filter(({ share }) => share > 0);
  const isOrdered = kept.every(({ token }) => token >= 0);
  if (!isOrdered) return { parts: place(kept, [...kept.map(() => 0), others]), isOrdered };
  const ordered = [...kept].sort((one, other) => one.token - other.token);
  const gaps = gapsOf(ordered, others);
  const at = hit ? ordered.findIndex((each) => keyOf(each) === keyOf(hit)) : -1;
  if (at >= 0 && draw !== null) moveUnder(ordered, gaps, at, draw);
  return { parts: place(ordered, gaps), isOrdered };
}

/** The gap before each token and after the last token, in proportion to the number of ids between them. */
function gapsOf(ordered: readonly DrawCandidate[], others: number): number[] {
  const ids = ordered.map(({ token }) => token);
  const between = [...ids, (ids.at(-1) ?? 0) + averageGap(ids)].map((id, place) =>
    Math.max(0, id - (place === 0 ? -1 : (ids[place - 1] ?? 0)) - 1),
  );
  const all = between.reduce((sum, count) => sum + count, 0);
  return between.map((count, place) =>
    all > 0 ? (others * count) / all : place === between.length - 1 ? others : 0,
  );
}

/** Estimates the number of ids after the last token, which is not known here, by the average gap. */
function averageGap(ids: readonly number[]): number {
  return Math.max(1, Math.round((ids.at(-1) ?? 0) / Math.max(1, ids.length)));
}

/**
 * Moves weight of unrecorded tokens from one side of the drawn token to the other, as little as necessary to bring the drawn
 * token under the random number.
 */
function moveUnder(ordered: readonly DrawCandidate[], gaps: number[], at: number, draw: number): void {
  const shares = ordered.slice(0, at).reduce((sum, { share }) => sum + share, 0);
  const below = gaps.slice(0, at + 1).reduce((sum, gap) => sum + gap, 0);
  const above = gaps.slice(at + 1).reduce((sum, gap) => sum + gap, 0);
  const own = ordered[at]?.share ?? 0;
  // A small inset, so that the mark lies on the token and not on its edge.
  const inside = own * 0.02;
  const least = draw - shares - own + inside;
  const most = draw - shares - inside;
  const wanted = Math.min(below + above, Math.max(0, Math.min(Math.max(below, least), most)));
  scale(gaps, 0, at + 1, wanted);
  scale(gaps, at + 1, gaps.length, below + above - wanted);
}

function scale(gaps: number[], from: number, to: number, sum: number): void {
  const now = gaps.slice(from, to).reduce((all, gap) => all + gap, 0);
  for (let place = from; place < to; place += 1)
    gaps[place] = now > 0 ? ((gaps[place] ?? 0) * sum) / now : place === from ? sum : 0;
}

function place(ordered: readonly DrawCandidate[], gaps: readonly number[]): readonly TokenDrawBarPart[] {
  const parts: TokenDrawBarPart[] = [];
  let from = 0;
  const push = (token: DrawCandidate | null, share: number) => {
    if (share <= 0) return;
    parts.push({ token, from, to: Math.min(1, from + share) });
    from += share;
  };
  ordered.forEach((token, at) => {
    push(null, gaps[at] ?? 0);
    push(token, token.share);
  });
  push(null, gaps[ordered.length] ?? 0);
  return parts;
}
