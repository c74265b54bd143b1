/** How a code point is written between the quotes of a JSON string (RFC 8259 section 7). */
import { byteSet } from "../../automaton/byte-set.ts";
import type { Expression, Expressions } from "../../automaton/expression.ts";
import { allCodePoints, codePoints, hasCodePoint, subtractCodePoints } from "../../regex/code-points.ts";
import { type Alphabet, utf8Alphabet } from "../../regex/utf8.ts";

/** Characters that need an escape: quote, backslash, controls. */
const escaped = codePoints([0x00, 0x1f], [0x22, 0x22], [0x5c, 0x5c]);
/** The letter after the backslash, for characters that JSON.stringify escapes with a letter. */
const letters: readonly (readonly [codePoint: number, letter: string])[] = [
  [0x22, '"'],
  [0x5c, "\\"],
  [0x08, "b"],
  [0x0c, "f"],
  [0x0a, "n"],
  [0x0d, "r"],
  [0x09, "t"],
];

/**
 * One code point of the set, spelled as JSON.stringify spells it: unescaped if allowed, otherwise with its short escape,
 * otherwise as \u00xx.
 */
export const canonicalJsonAlphabet: Alphabet = (expressions, set) => {
  const named = letters.filter(([codePoint]) => hasCodePoint(set, codePoint)).map(([, letter]) => letter);
  const hex = [0, 1].map((high) => {
    const lows = Array.from({ length: 16 }, (_, low) => low).filter((low) => {
      const codePoint = high * 16 + low;
      return hasCodePoint(set, codePoint) && !letters.some(([other]) => other === codePoint);
    });
    return expressions.sequence(
      expressions.literal(`u00${high}`),
      anyOf(expressions, lows.map((low) => low.toString(16)).join("")),
    );
  });
  return expressions.union(
    utf8Alphabet(expressions, subtractCodePoints(set, escaped)),
    expressions.sequence(
      expressions.byte(0x5c),
      expressions.union(anyOf(expressions, named.join("")), ...hex),
    ),
  );
};

/** Any code point in any spelling that JSON allows; lone surrogates are left out. */
export function jsonCharacter(expressions: Expressions): Expression {
  const hex = anyOf(expressions, "0123456789abcdefABCDEF");
  const three = expressions.sequence(hex, hex, hex);
  const d = anyOf(expressions, "dD");
  const unit = expressions.union(
    expressions.sequence(anyOf(expressions, "0123456789abcefABCEF"), three),
    expressions.sequence(d, anyOf(expressions, "01234567"), hex, hex),
    expressions.sequence(
      d,
      anyOf(expressions, "89abAB"),
      hex,
      hex,
      expressions.literal("\\u"),
      d,
      anyOf(expressions, "cdefCDEF"),
      hex,
      hex,
    ),
  );
  return expressions.union(
    utf8Alphabet(expressions, subtractCodePoints(allCodePoints, escaped)),
    expressions.sequence(
      expressions.byte(0x5c),
      expressions.union(
        anyOf(expressions, '"\\/bfnrt'),
        expressions.sequence(expressions.literal("u"), unit),
      ),
    ),
  );
}

/** The content of the JSON string that is `value`, spelled as JSON.stringify does. */
export function jsonStringContent(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

/** One of these ASCII characters. */
function anyOf(expressions: Expressions, characters: string): Expression {
  return expressions.bytes(
    byteSet(...[...characters].map((text): [number, number] => [text.charCodeAt(0), text.charCodeAt(0)])),
  );
}
