/** Marks that a view lays over the words, in addition to the marks for how the words came into the output. */

export interface CellMark {
  readonly className: string;
  /** Replaces the word's usual label. `data-note`: a short text that is shown if colours are not available. */
  readonly says: { readonly "aria-label": string; readonly title: string; readonly "data-note"?: string };
}

/** Marks by chunk (index of its first token), then by token. A chunk is drawn again if its entry is a new object. */
export type TextMarks = ReadonlyMap<number, ReadonlyMap<number, CellMark>>;
