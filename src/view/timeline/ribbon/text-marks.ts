/** Marks that a view lays over the words, beside those of how they came. */

export interface CellMark {
  readonly className: string;
  /** Replaces the word's usual label. `data-note`: a short text that is shown where colours are not. */
  readonly says: { readonly "aria-label": string; readonly title: string; readonly "data-note"?: string };
}

/** By chunk (the index of its first token), then by token. A chunk is drawn anew when its entry is another object. */
export type TextMarks = ReadonlyMap<number, ReadonlyMap<number, CellMark>>;
