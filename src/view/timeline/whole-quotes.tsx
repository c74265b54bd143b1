/** Keeps a quoted token on one line if the line has room for it: tokens begin with a space, after which a line could break. */
import type { ReactNode } from "react";

/** The quotes of `quote` in `trace-view.ts`, with the punctuation after them. A quoted token may contain an apostrophe. */
const quotes = /('.+?'(?!\w)[.,;:)]*)/;

export function wrapQuotes(sentence: string): ReactNode {
  return sentence.split(quotes).map((part, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other identity
    <span key={place} className={place % 2 === 1 ? "whole-quote" : ""}>
      {part}
    </span>
  ));
}
