/** The selected tokens, shared by every view of a run: a range with a cursor at one of its ends. Pure. */

/**
 * Two indices of tokens. The selection is the range between them, both included; `cursor` is the end that keys and drags move.
 */
export interface Selection {
  readonly anchor: number;
  readonly cursor: number;
}

/** Selects one token. */
export function selectToken(index: number): Selection {
  return { anchor: index, cursor: index };
}

/** Extends the selection to another token; selects that token alone if nothing was selected. */
export function extendTo(selection: Selection | null, index: number): Selection {
  return { anchor: selection?.anchor ?? index, cursor: index };
}

/** The selection after a click on a token: this token alone, or, with Shift (`extend`), the range up to this token. */
export function selectionAfterClick(selection: Selection | null, index: number, extend: boolean): Selection {
  return extend ? extendTo(selection, index) : selectToken(index);
}

export function isRange(selection: Selection | null): selection is Selection {
  return selection !== null && selection.anchor !== selection.cursor;
}

export function isSameSelection(one: Selection | null, other: Selection | null): boolean {
  return one?.anchor === other?.anchor && one?.cursor === other?.cursor;
}

/** Indices of tokens from `first` to before `end`. */
export interface TokenRange {
  readonly first: number;
  readonly end: number;
}

/** The selected tokens, in whichever direction they were selected. */
export function rangeOf({ anchor, cursor }: Selection): TokenRange {
  return { first: Math.min(anchor, cursor), end: Math.max(anchor, cursor) + 1 };
}

/** The tokens that two ranges share; null if they share none. */
export function overlap(one: TokenRange, other: TokenRange): TokenRange | null {
  const first = Math.max(one.first, other.first);
  const end = Math.min(one.end, other.end);
  return first < end ? { first, end } : null;
}

/** The selection as text, counted from 1, with the cursor last: `13`, `13-40`, or `40-13` if the cursor is at the beginning. */
export function formatSelection({ anchor, cursor }: Selection): string {
  return anchor === cursor ? String(cursor + 1) : `${anchor + 1}-${cursor + 1}`;
}

/** The selection that a text names; null for any other text. The selection may have tokens that a run does not have. */
export function parseSelection(text: string): Selection | null {
  const [, anchor, cursor = anchor] = /^([1-9]\d{0,8})(?:-([1-9]\d{0,8}))?$/.exec(text) ?? [];
  return anchor === undefined ? null : { anchor: Number(anchor) - 1, cursor: Number(cursor) - 1 };
}
