/** Where words begin and end among the tokens of an output. Pure. */

const lettersAtEnd = /[\p{L}\p{N}\p{M}]$/u;
const lettersAtStart = /^[\p{L}\p{N}\p{M}]/u;
/** Writing without spaces between words: each token counts as a word. */
const unspaced = String.raw`[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]`;
const unspacedAtEnd = new RegExp(`${unspaced}$`, "u");
const unspacedAtStart = new RegExp(`^${unspaced}`, "u");
/** As in "didn’t". */
const apostropheAtStart = /^['’]/;
const apostropheAtEnd = /(^|\p{L})['’]$/u;

/** Whether a token's text continues the word with which the text before it ends. */
export function continuesWord(before: string, text: string): boolean {
  if (unspacedAtEnd.test(before) || unspacedAtStart.test(text)) return false;
  if (lettersAtEnd.test(before)) return lettersAtStart.test(text) || apostropheAtStart.test(text);
  return apostropheAtEnd.test(before) && lettersAtStart.test(text);
}

/** A longer "word" is no word of a text: a number of thousands of digits, or a file in letters. */
const maxWordTokens = 16;

/** How many tokens to go from `place` (by `step`) to a place at which no word is open; 0 if that is further than a word is long. */
export function tokensToBoundary(place: number, step: 1 | -1, isInWord: (place: number) => boolean): number {
  for (let count = 0; count <= maxWordTokens; count += 1) if (!isInWord(place + step * count)) return count;
  return 0;
}
