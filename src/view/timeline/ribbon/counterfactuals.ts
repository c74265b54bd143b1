/** Computes how wide a counterfactual may be: the text above a word that shows which token would have been chosen without the mods. Pure. */

/**
 * The smallest and largest width of a letter in the font Inter, in em, by class of letters. With `most`, the width of a
 * counterfactual is never underestimated.
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

/** Font sizes of the text and of the counterfactuals, in px at the browser's usual size. */
const textSize = 18;
const counterfactualSize = 12;
/**
 * In em of the counterfactual's font: the sign before the counterfactual of an adjusted word, the sign with the space after
 * it, and the space before the next counterfactual.
 */
const signLetter = 0.7;
const signWidth = 1.1;
const gap = 0.4;
/** The least room beside the sign in which a letter can be read. */
const leastWidth = 1.2;

/**
 * `all`: the counterfactual is shown whole. A number: it is cut to this width, in em of its own font size. `sign`: only its
 * sign is shown. `none`: nothing is shown.
 */
export type CounterfactualWidth = "all" | "sign" | "none" | number;

/**
 * The width that a counterfactual may take.
 * @param counterfactual the text of the counterfactual.
 * @param below the text from the counterfactual's word to the word of the next counterfactual; null if no counterfactual follows near by.
 * @param hasSign whether a sign stands before the counterfactual.
 */
export function counterfactualWidth(
  counterfactual: string,
  below: string | null,
  hasSign: boolean,
): CounterfactualWidth {
  if (below === null) return "all";
  const sign = hasSign ? signWidth : 0;
  const room = (widthOf(below, "least") * textSize) / counterfactualSize - gap;
  if (sign + widthOf(counterfactual, "most") <= room) return "all";
  if (room >= sign + leastWidth) return room;
  return hasSign && room + gap >= signLetter ? "sign" : "none";
}
