/**
 * The order of two texts without `Intl`, the same in every browser and in QuickJS. It is the order of English for Latin
 * letters: first by letters and signs, then by accents, then small letters before capitals. Other scripts stand after Latin
 * letters, by code point.
 */
import { toLowerCase, uncurry } from "./primordials.ts";

const normalize = uncurry(String.prototype.normalize as (form?: string) => string);
const charCodeAt = uncurry(String.prototype.charCodeAt);
const indexOf = uncurry(String.prototype.indexOf as (text: string) => number);
const charAt = uncurry(String.prototype.charAt);
const { fromCharCode } = String;

/** Spaces, signs and digits in the order of the Unicode collation; letters follow. */
const order = "\t\n\v\f\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz";
/** Accents in the order of the Unicode collation. */
const accents = "\u0301\u0300\u0306\u0302\u030c\u030a\u0308\u030b\u0303\u0307\u0338\u0327\u0328\u0304";

interface SortKey {
  readonly letters: string;
  readonly accents: string;
  readonly cases: string;
}

/** Negative, 0 or positive, if `one` sorts before, equal to or after `other`. */
export function compareInEnglishOrder(one: string, other: string): number {
  const first = sortKey(one);
  const second = sortKey(other);
  return (
    compare(first.letters, second.letters) ||
    compare(first.accents, second.accents) ||
    compare(first.cases, second.cases)
  );
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function sortKey(text: string): SortKey {
  const plain = normalize(text, "NFD");
  let letters = "";
  let marks = "";
  let cases = "";
  for (let place = 0; place < plain.length; place += 1) {
    const character = charAt(plain, place);
    if (isAccent(charCodeAt(character, 0))) {
      const rank = indexOf(accents, character);
      marks += rank < 0 ? character : fromCharCode(2 + rank);
      continue;
    }
    const small = toLowerCase(character);
    const rank = indexOf(order, small);
    letters += rank < 0 ? small : fromCharCode(1 + rank);
    marks += "\u0001";
    cases += small === character ? "0" : "1";
  }
  return { letters, accents: marks, cases };
}

const isAccent = (code: number): boolean => code >= 0x300 && code <= 0x36f;
