/** How wide a ghost may be. A ghost is the text above a word that says what would have been there without the mods. Pure. */

/**
 * Least and most width of a letter in Inter, in em, by class of letters. `most` holds for the widest of its class, so that
 * a ghost is never taken to be narrower than it is.
 */
const letterWidths: readonly { readonly letters: RegExp; readonly least: number; readonly most: number }[] = [
  { letters: /[ijl.,:;'’|!I ]/, least: 0.22, most: 0.31 },
  { letters: /[frt()[\]"“”\-/]/, least: 0.31, most: 0.45 },
  { letters: /[mwMW@%—…]/, least: 0.76, most: 1 },
  { letters: /[A-Z0-9]/, least: 0.54, most: 0.77 },
  { letters: /[a-z]/, least: 0.5, most: 0.64 },
];
/** A letter of another script, which may be as wide as it is high. */
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
/**
 * In em of the ghost: the sign before a ghost of an adjusted word, that sign with the space after it, and the space to the
 * next ghost.
 */
const signLetter = 0.7;
const signWidth = 1.1;
const gap = 0.4;
/** In less room than this beside the sign, no letter of the ghost could be read. */
const leastWidth = 1.2;

/**
 * `all`: the ghost is shown whole. A number: it is cut to this width, in em of its own size. `sign`: only its sign is
 * shown. `none`: nothing is.
 */
export type GhostWidth = "all" | "sign" | "none" | number;

/**
 * The width that a ghost may take.
 * @param ghost the text of the ghost.
 * @param below the text from the ghost's word to the word of the next ghost; null where no ghost follows near by.
 * @param hasSign whether a sign stands before the ghost.
 */
export function ghostWidth(ghost: string, below: string | null, hasSign: boolean): GhostWidth {
  if (below === null) return "all";
  const sign = hasSign ? signWidth : 0;
  const room = (widthOf(below, "least") * textSize) / ghostSize - gap;
  if (sign + widthOf(ghost, "most") <= room) return "all";
  if (room >= sign + leastWidth) return room;
  return hasSign && room + gap >= signLetter ? "sign" : "none";
}
