/** Finds the word that a token is a part of: a tokenizer may split " Max" into " M" and "ax". Pure. */
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";

export interface MultiTokenWord {
  readonly text: string;
  /** Place of the token among the tokens of the word, from 1. */
  readonly place: number;
  readonly count: number;
}

/** Scripts without spaces between words: neighbouring letters may belong to different words. */
const unspaced =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";
const letter = `(?![${unspaced}])[\\p{L}\\p{M}\\p{N}]`;
const beginsInWord = new RegExp(`^${letter}`, "u");
const endsInWord = new RegExp(`${letter}$`, "u");

/** The most tokens on each side of the token that are read: a longer text is no word. */
const farthest = 16;

/** Null if the token is a whole word, or no part of a word. */
export function wordOfToken({ tokens }: TraceModel, index: number): MultiTokenWord | null {
  const isJoined = (left: number) =>
    tokens.removedBy[left] === tokens.removedBy[left + 1] &&
    endsInWord.test(tokens.text[left] ?? "") &&
    beginsInWord.test(tokens.text[left + 1] ?? "");
  let first = index;
  let last = index;
  while (index - first <= farthest && isJoined(first - 1)) first -= 1;
  while (last - index <= farthest && isJoined(last)) last += 1;
  if (first === last || last - first > farthest) return null;
  const text = showInvisibleCharacters(
    tokens.text
      .slice(first, last + 1)
      .join("")
      .trim(),
  );
  return { text, place: index - first + 1, count: last - first + 1 };
}
