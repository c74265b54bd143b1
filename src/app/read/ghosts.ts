/** How wide a ghost may be: the text above a word that says what would have been there. Pure. */

/** Widths of letters in Inter, in em: as wide as any of their class, so that a ghost is never taken for narrower than it is. */
const letterWidths: readonly { readonly letters: RegExp; readonly least: number; readonly most: number }[] = [
  { letters: /[ijl.,:;'’|!I ]/, least: 0.22, most: 0.31 },
  { letters: /[frt()[\]"“”\-/]/, least: 0.31, most: 0.45 },
  { letters: /[mwMW@%—…]/, least: 0.76, most: 1 },
  { letters: /[A-Z0-9]/, least: 0.54, most: 0.77 },
  { letters: /[a-z]/, least: 0.5, most: 0.64 },
];
/** Letters of other scripts may be as wide as they are high. */
const unknownLetter = { least: 0.22, most: 1.2 };

function widthOf(text: string, bound: "least" | "most"): number {
  let width = 0;
  for (const letter of text) {
    width += (letterWidths.find(({ letters }) => letters.test(letter)) ?? unknownLetter)[bound];
  }
  return width;
}

/** Font sizes of the text and of the ghosts, in px at the browser's usual size. */
const textSize = 18;
const ghostSize = 12;
/** The sign before a ghost of an adjusted word, alone and with the space after it, and the space to the next ghost, in em of the ghost. */
const signLetter = 0.7;
const signWidth = 1.1;
const gap = 0.4;
/** Less than this beside the sign shows no letter that could be read. */
const leastWidth = 1.2;

/** `all`: it has its width. A number: it may be this wide, in em of its own size. `sign`: only its sign fits, `none`: nothing. */
export type GhostWidth = "all" | "sign" | "none" | number;

/**
 * The width that a ghost may take.
 * @param ghost its text.
 * @param below the text from its word to the next ghost's word; null where none follows near by.
 * @param hasSign whether a sign stands before it.
 */
export function ghostWidth(ghost: string, below: string | null, hasSign: boolean): GhostWidth {
  if (below === null) return "all";
  const sign = hasSign ? signWidth : 0;
  const room = (widthOf(below, "least") * textSize) / ghostSize - gap;
  if (sign + widthOf(ghost, "most") <= room) return "all";
  if (room >= sign + leastWidth) return room;
  return hasSign && room + gap >= signLetter ? "sign" : "none";
}
