/** Marks that a view lays over the words, beside those of how they came. */

export interface CellMark {
  readonly className: string;
  /** Said after what else is said of the word. */
  readonly words: string;
  /** Short, for where colours are not shown. */
  readonly note?: string;
}

/** By chunk (the index of its first token), then by token. A chunk is drawn anew when its entry is another object. */
export type TextMarks = ReadonlyMap<number, ReadonlyMap<number, CellMark>>;
