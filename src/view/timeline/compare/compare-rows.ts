/** The rows of the comparison of two runs: groups of columns, with long equal stretches folded. Pure. */

import { sumLogprobsOfPlaces } from "../../../core/trace/compare/compare-metrics.ts";
import {
  type Comparison,
  columnCountOf,
  firstDivergence,
  type PlaceRange,
  placesAt,
  type Segment,
  type Side,
  segmentAt,
} from "../../../core/trace/compare/comparison.ts";
import { continuesWord, tokensToBoundary } from "../../../core/trace/compare/words.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { countWithNoun, formatCount } from "../../ui/format.ts";

/** Columns from `first` to before `end`. A folded row has the same tokens on both sides, which are not drawn. */
export interface CompareRow {
  readonly type: "text" | "folded";
  readonly first: number;
  readonly end: number;
}

/**
 * Numbers of columns in a row. Where both outputs are equal, rows are short and end between words if possible, so that
 * corresponding rows are visible side by side. Where the outputs differ, nothing corresponds, and rows may be long.
 */
const sameColumns = 32;
const sameColumnsAtMost = 48;
const changedColumns = 128;
/** Number of equal columns that are shown on each side of a difference; and the fewest columns that are worth folding. */
export const contextColumnCount = 16;
const fewest = 12;

/** The column in which the first differing word begins; null if the outputs have the same text. */
export function firstDifferingWordColumn(
  comparison: Comparison,
  models: Readonly<Record<Side, TraceModel>>,
): number | null {
  const parting = firstDivergence(comparison);
  const [segment] = comparison.segments;
  // Before the first difference, a token's column is its place, unless a text is respelled there.
  if (parting === null || segment?.kind !== "same" || columnCountOf(segment) !== parting) return parting;
  const textAt = (side: Side, place: number) => models[side].tokens.text[comparison[side][place] ?? -1] ?? "";
  const isInWord = (place: number) =>
    continuesWord(textAt("left", place - 1), textAt("left", place)) ||
    continuesWord(textAt("right", place - 1), textAt("right", place));
  return parting - tokensToBoundary(parting, -1, isInWord);
}

/**
 * The rows of all columns, in order. A row of equal text ends before a word of the run on the left, if one begins soon enough.
 * `unfolded`: numbers of the segments that are drawn whole.
 */
export function comparisonRows(
  comparison: Comparison,
  models: Readonly<Record<Side, TraceModel>>,
  unfolded: ReadonlySet<number>,
): readonly CompareRow[] {
  const rows: CompareRow[] = [];
  const parting = firstDifferingWordColumn(comparison, models) ?? -1;
  const { left } = models;
  let open: { first: number; end: number } | null = null;
  const close = () => {
    if (open) rows.push({ type: "text", ...open });
    open = null;
  };
  const isFull = (count: number, { kind, left: range, column: first }: Segment, column: number) => {
    if (kind === "changed") return count >= changedColumns;
    if (count < sameColumns) return false;
    const place = range.first + (kind === "same" ? column - first : 0);
    return count >= sameColumnsAtMost || /^\s/.test(left.tokens.text[comparison.left[place] ?? -1] ?? "");
  };
  const add = (segment: Segment, first: number, end: number) => {
    for (let column = first; column < end; column += 1) {
      if (column === parting || (open && isFull(open.end - open.first, segment, column))) close();
      open = { first: open?.first ?? column, end: column + 1 };
    }
  };
  comparison.segments.forEach((segment, number) => {
    const end = segment.column + columnCountOf(segment);
    const hidden = unfolded.has(number) ? null : hiddenOf(comparison, segment, end);
    add(segment, segment.column, hidden?.first ?? end);
    if (!hidden) return;
    close();
    rows.push({ type: "folded", ...hidden });
    add(segment, hidden.end, end);
  });
  close();
  return rows;
}

/** The columns of a segment that are folded; null for none. Two equal runs are drawn whole. */
function hiddenOf(
  { segments, columns }: Comparison,
  { kind, column }: Segment,
  end: number,
): PlaceRange | null {
  if (kind !== "same" || segments.length === 1) return null;
  const first = column === 0 ? 0 : column + contextColumnCount;
  const last = end === columns ? end : end - contextColumnCount;
  return last - first < fewest ? null : { first, end: last };
}

/** Number of the row that has a column. */
export function rowOfColumn(rows: readonly CompareRow[], column: number): number {
  let low = 0;
  let high = rows.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((rows[middle]?.first ?? 0) <= column) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** One token of a row. */
export interface CompareCell {
  readonly column: number;
  /** Index of the token in its run. */
  readonly index: number;
  readonly kind: Segment["kind"];
}

/** The most tokens of one column that are drawn: a respelled text may have thousands. */
export const maxTokensPerColumn = 24;

/** The tokens that one side has in a row. */
export function cellsInRow(
  comparison: Comparison,
  { first, end }: CompareRow,
  side: Side,
): readonly CompareCell[] {
  const cells: CompareCell[] = [];
  for (let column = first, number = segmentAt(comparison, first); column < end; column += 1) {
    while ((comparison.segments[number + 1]?.column ?? Number.POSITIVE_INFINITY) <= column) number += 1;
    const segment = comparison.segments[number];
    if (!segment) break;
    const range = placesAt(segment, column)[side];
    const shown = Math.min(range.end, range.first + maxTokensPerColumn);
    for (let place = range.first; place < shown; place += 1)
      cells.push({ column, index: comparison[side][place] ?? 0, kind: segment.kind });
  }
  return cells;
}

/** The places of each run in a column of the comparison, and the probability of the text there; null if unknown. */
export interface AlignedTokenProbabilities {
  readonly segment: Segment;
  readonly left: PlaceRange;
  readonly right: PlaceRange;
  readonly leftProbability: number | null;
  readonly rightProbability: number | null;
  /** The probability on the right minus that on the left; null if the texts differ or a probability is unknown. */
  readonly difference: number | null;
}

export function alignedTokenProbabilities(
  comparison: Comparison,
  models: Readonly<Record<Side, TraceModel>>,
  column: number,
): AlignedTokenProbabilities | null {
  const segment = comparison.segments[segmentAt(comparison, column)];
  if (!segment) return null;
  const places = placesAt(segment, column);
  const probability = (side: Side) => {
    const logprob = sumLogprobsOfPlaces(models[side], comparison, side, places[side]);
    return logprob === null ? null : Math.exp(logprob);
  };
  const leftProbability = probability("left");
  const rightProbability = probability("right");
  const isKnown = leftProbability !== null && rightProbability !== null && segment.kind !== "changed";
  const difference = isKnown ? rightProbability - leftProbability : null;
  return { segment, ...places, leftProbability, rightProbability, difference };
}

/** Places of the cells whose word is not the same in both runs, though the cell itself may be: a word can be several tokens. */
export function changedWordCellIndices(
  cells: readonly CompareCell[],
  texts: readonly (string | undefined)[],
): ReadonlySet<number> {
  const places = new Set<number>();
  const textAt = (place: number) => texts[cells[place]?.index ?? -1] ?? "";
  let first = 0;
  for (let end = 1; end <= cells.length; end += 1) {
    if (continuesWord(textAt(end - 1), textAt(end))) continue;
    if (cells.slice(first, end).some(({ kind }) => kind === "changed"))
      for (let place = first; place < end; place += 1) places.add(place);
    first = end;
  }
  return places;
}

/** Smaller differences of probability are not drawn. */
const leastDrawn = 0.05;
/** Differences from this on are drawn strongly. */
const strong = 0.25;

/** How a difference of probability is drawn: `more`, `much-more`, `less`, `much-less`; null for a small difference. */
export function differenceLook(difference: number | null): string | null {
  if (difference === null || Math.abs(difference) < leastDrawn) return null;
  return `${Math.abs(difference) >= strong ? "much-" : ""}${difference > 0 ? "more" : "less"}`;
}

/** A difference of probabilities in percentage points: +12 or −30. */
export function formatPercentagePoints(difference: number): string {
  return formatSignedNumber(100 * difference, 0);
}

/** +0.12 or −0.30. */
export function formatSignedNumber(value: number, digits = 2): string {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return text;
  return `${value > 0 ? "+" : "−"}${text}`;
}

/**
 * The number, from 1, of the difference that reaches to the end of both texts; null if the texts end equally, differ in one column,
 * or one text only ends earlier.
 */
export function differenceToTheEnd({ segments }: Comparison): number | null {
  const last = segments.at(-1);
  if (last?.kind !== "changed" || columnCountOf(last) < 2) return null;
  if (isEmpty(last.left) || isEmpty(last.right)) return null;
  return segments.filter(({ kind }) => kind === "changed").length;
}

const isEmpty = ({ first, end }: PlaceRange): boolean => first === end;

/** Names the difference at or before a column; before the first, the number of all differences. */
export function differenceLabel({ segments }: Comparison, column: number): string {
  let reached = 0;
  let count = 0;
  for (const { kind, column: first } of segments) {
    if (kind !== "changed") continue;
    count += 1;
    if (first <= column) reached += 1;
  }
  if (count === 0) return "No difference";
  return reached === 0
    ? countWithNoun(count, "difference")
    : `Difference ${formatCount(reached)} of ${formatCount(count)}`;
}
