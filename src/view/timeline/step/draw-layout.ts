/**
 * Lays out the tokens of a draw side by side, from 0 to 1, in the sampler's order, which is by id. The random number falls on
 * one of these tokens. Pure.
 */
import type { DrawCandidate, TokenDrawDistribution } from "./drawn-from.ts";
import { tokenIdentity } from "./step-probabilities.ts";

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
  const drawable = tokens.filter(({ share }) => share > 0);
  const isOrdered = drawable.every(({ token }) => token >= 0);
  if (!isOrdered) return { parts: layOut(drawable, [...drawable.map(() => 0), others]), isOrdered };
  const ordered = drawable.toSorted((one, other) => one.token - other.token);
  const gaps = gapsOf(ordered, others);
  const hitPlace = hit ? ordered.findIndex((each) => tokenIdentity(each) === tokenIdentity(hit)) : -1;
  if (hitPlace >= 0 && draw !== null) moveUnder(ordered, gaps, hitPlace, draw);
  return { parts: layOut(ordered, gaps), isOrdered };
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);

/** The gap before each token and after the last token, in proportion to the number of ids between them. */
function gapsOf(ordered: readonly DrawCandidate[], others: number): number[] {
  const idCounts = idCountsBetween(ordered.map(({ token }) => token));
  const total = sumOf(idCounts);
  if (total > 0) return idCounts.map((count) => (others * count) / total);
  // No id lies between the listed tokens, so all unlisted tokens come last.
  return idCounts.map((_, place) => (place === idCounts.length - 1 ? others : 0));
}

/** The number of ids before each id, and an estimate of the number after the last id. */
function idCountsBetween(ids: readonly number[]): number[] {
  const end = (ids.at(-1) ?? 0) + averageGap(ids);
  return [...ids, end].map((id, place) => Math.max(0, id - (place === 0 ? -1 : (ids[place - 1] ?? 0)) - 1));
}

/** Estimates the number of ids after the last token, which is not known here, by the average gap. */
function averageGap(ids: readonly number[]): number {
  return Math.max(1, Math.round((ids.at(-1) ?? 0) / Math.max(1, ids.length)));
}

/**
 * Moves weight of unrecorded tokens from one side of the drawn token to the other, as little as necessary to bring the drawn
 * token under the random number.
 */
function moveUnder(ordered: readonly DrawCandidate[], gaps: number[], hitPlace: number, draw: number): void {
  const sharesBefore = sumOf(ordered.slice(0, hitPlace).map(({ share }) => share));
  const gapsBefore = sumOf(gaps.slice(0, hitPlace + 1));
  const gapsAfter = sumOf(gaps.slice(hitPlace + 1));
  const share = ordered[hitPlace]?.share ?? 0;
  // A small inset, so that the mark lies on the token and not on its edge.
  const inset = share * 0.02;
  // The random number lies on the token if the gaps before the token have a total between these two.
  const least = draw - sharesBefore - share + inset;
  const most = draw - sharesBefore - inset;
  const nearest = Math.min(Math.max(gapsBefore, least), most);
  const wanted = Math.min(gapsBefore + gapsAfter, Math.max(0, nearest));
  scaleGaps(gaps, 0, hitPlace + 1, wanted);
  scaleGaps(gaps, hitPlace + 1, gaps.length, gapsBefore + gapsAfter - wanted);
}

/** Scales the gaps from `from` to before `to`, so that their total is `wanted`. If all are 0, the first gets the total. */
function scaleGaps(gaps: number[], from: number, to: number, wanted: number): void {
  const total = sumOf(gaps.slice(from, to));
  for (let place = from; place < to; place += 1) {
    if (total > 0) gaps[place] = ((gaps[place] ?? 0) * wanted) / total;
    else gaps[place] = place === from ? wanted : 0;
  }
}

/** The tokens and the gaps between them, one after the other. */
function layOut(ordered: readonly DrawCandidate[], gaps: readonly number[]): readonly TokenDrawBarPart[] {
  const parts: TokenDrawBarPart[] = [];
  let from = 0;
  const push = (token: DrawCandidate | null, share: number) => {
    if (share <= 0) return;
    parts.push({ token, from, to: Math.min(1, from + share) });
    from += share;
  };
  for (const [place, token] of ordered.entries()) {
    push(null, gaps[place] ?? 0);
    push(token, token.share);
  }
  push(null, gaps[ordered.length] ?? 0);
  return parts;
}
