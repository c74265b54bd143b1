/**
 * Two outputs side by side as a view reads them: what stands beside what, and where the differences are. Pure. A comparison is
 * made by `compare.ts`.
 */

export type Side = "left" | "right";

/** Places in `Comparison.left` or `right`, from `first` to before `end`. */
export interface PlaceRange {
  readonly first: number;
  readonly end: number;
}

/**
 * `same`: the same tokens in both, one for one. `respelled`: the same text by other tokens. `changed`: what stands in one and
 * not in the other; one of the two may be empty.
 */
export interface Segment {
  readonly kind: "same" | "respelled" | "changed";
  readonly left: PlaceRange;
  readonly right: PlaceRange;
  /** Number of the first of its columns. */
  readonly column: number;
}

export interface Comparison {
  /** Indices of the tokens that were in each output when it was compared. */
  readonly left: readonly number[];
  readonly right: readonly number[];
  /** Segments that cover both outputs, in their order. */
  readonly segments: readonly Segment[];
  /**
   * The number of columns. A column holds a pair of equal tokens, a respelled text, or, where the outputs differ, the
   * first token of one side beside the first of the other, and so on.
   */
  readonly columns: number;
  /** Tokens were compared by their text, because the runs are of different models or a record lacks the ids. */
  readonly byText: boolean;
  /** False where the outputs differ so much that more of them may be the same than was found. */
  readonly isShortest: boolean;
}

const lengthOf = ({ first, end }: PlaceRange) => end - first;

/** How many columns a segment has. */
export function columnsOf({ kind, left, right }: Omit<Segment, "column">): number {
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

/** The places that a column has in each output: one, several where it is a respelled text, or none. */
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

/** The first column in which the outputs differ; null if they are the same text. */
export function firstDivergence({ segments }: Comparison): number | null {
  return segments.find(({ kind }) => kind === "changed")?.column ?? null;
}

/** The beginning of the next difference after a column (or of the one before it); null if there is none. */
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
