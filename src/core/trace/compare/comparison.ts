/**
 * A comparison of two outputs, as the views read it: which tokens stand side by side, and where the outputs differ. Pure.
 * `compare.ts` makes comparisons.
 */

export type Side = "left" | "right";

/** Places in `Comparison.left` or `right`, from `first` to before `end`. */
export interface PlaceRange {
  readonly first: number;
  readonly end: number;
}

/**
 * `same`: equal tokens in both outputs. `respelled`: equal text in different tokens. `changed`: text that the outputs do not
 * share; one side may be empty.
 */
export interface Segment {
  readonly kind: "same" | "respelled" | "changed";
  readonly left: PlaceRange;
  readonly right: PlaceRange;
  /** Number of the segment's first column. */
  readonly column: number;
}

export interface Comparison {
  /** Indices of the tokens in each output at the time of the comparison. */
  readonly left: readonly number[];
  readonly right: readonly number[];
  /** Segments that cover both outputs, in their order. */
  readonly segments: readonly Segment[];
  /**
   * The number of columns. A column holds a pair of equal tokens, a respelled text, or, where the outputs differ, the
   * first token of one side beside the first of the other, and so on.
   */
  readonly columns: number;
  /** The tokens were compared by their text, because the runs are of different models or a record lacks the ids. */
  readonly byText: boolean;
  /** False if the outputs differ so much that they may share more than was found. */
  readonly isShortest: boolean;
}

const lengthOf = ({ first, end }: PlaceRange) => end - first;

/** How many columns a segment has. */
export function columnCountOf({ kind, left, right }: Omit<Segment, "column">): number {
  return kind === "respelled" ? 1 : Math.max(lengthOf(left), lengthOf(right));
}

/** Number of the segment that a column belongs to; the nearest one for a number out of range. */
export function segmentAt({ segments }: Comparison, column: number): number {
  let [low, high] = [0, segments.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((segments[middle]?.column ?? 0) <= column) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The places of a column in each output: none, one, or several if the column is a respelled text. */
export function placesAt(
  { kind, left, right, column: first }: Segment,
  column: number,
): Readonly<Record<Side, PlaceRange>> {
  if (kind === "respelled") return { left, right };
  const placeIn = (range: PlaceRange) => {
    const place = Math.min(range.end, range.first + column - first);
    return { first: place, end: Math.min(range.end, place + 1) };
  };
  return { left: placeIn(left), right: placeIn(right) };
}

/** The column in which a token of one of the outputs stands; null for a token that is not in the output. */
export function columnOf(comparison: Comparison, side: Side, index: number): number | null {
  const place = placeOf(comparison[side], index);
  if (place === null) return null;
  let [low, high] = [0, comparison.segments.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((comparison.segments[middle]?.[side].end ?? 0) > place) high = middle;
    else low = middle + 1;
  }
  const segment = comparison.segments[low];
  if (!segment) return null;
  return segment.kind === "respelled" ? segment.column : segment.column + place - segment[side].first;
}

function placeOf(indices: readonly number[], index: number): number | null {
  let [low, high] = [0, indices.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((indices[middle] ?? 0) < index) low = middle + 1;
    else high = middle;
  }
  return indices[low] === index ? low : null;
}

/** The first column in which the outputs differ; null if they have the same text. */
export function firstDivergence({ segments }: Comparison): number | null {
  return segments.find(({ kind }) => kind === "changed")?.column ?? null;
}

/** The beginning of the next difference after a column (or of the difference before it); null if there is none. */
export function nextDifference(comparison: Comparison, column: number, direction: 1 | -1): number | null {
  const { segments } = comparison;
  const here = segmentAt(comparison, column);
  for (let number = here; number >= 0 && number < segments.length; number += direction) {
    const segment = segments[number];
    if (segment?.kind === "changed" && (direction === 1 ? segment.column > column : segment.column < column))
      return segment.column;
  }
  return null;
}
