/**
 * Numbers without an upper bound, in every way that RFC 8259 section 6 writes them, but for those that are no finite double:
 * JSON.parse reads 1e999 as Infinity. The texts that JSON.stringify writes for finite numbers are among them (ECMA-262, Number::toString:
 * at most 21 digits before the point, else one digit, a fraction and an exponent). A number with a fraction has at most 17
 * significant digits, as many as tell a double from all others.
 */
import type { Expression, Expressions } from "../../automaton/expression.ts";
import { decimalOf } from "./decimal.ts";
import {
  anyDigits,
  digit,
  fractionOfZero,
  MOST_SIGNIFICANT_DIGITS,
  MOST_WHOLE_DIGITS,
  magnitudes,
  mixedDigits,
} from "./number-range.ts";

/** Any number from 0 on, without a sign. */
export function nonNegativeNumber(expressions: Expressions): Expression {
  const zero = expressions.sequence(
    digit(expressions, 0, 0),
    fractionOfZero(expressions),
    expressions.optional(exponent(expressions, 307, 999)),
  );
  const plain = mixedDigits(expressions, 1, MOST_WHOLE_DIGITS, MOST_SIGNIFICANT_DIGITS);
  return expressions.union(zero, plain, scientific(expressions, 999));
}

/** Any number that is read as one above 0. */
export function openPositive(expressions: Expressions): Expression {
  return expressions.union(
    magnitudes(expressions, decimalOf(Number.MIN_VALUE), null, true),
    // 1e-323 is the smallest power of ten that is not read as 0.
    scientific(expressions, 323),
  );
}

/**
 * Any integer from 0 on. From 1e21 on with an exponent and without a point: with one, a model that begins to write 1.5 would
 * be led to 1.5e+21.
 */
export function openInteger(expressions: Expressions): Expression {
  const large = expressions.sequence(
    digit(expressions, 1, 9),
    expressions.literal("e+"),
    upTo(expressions, 307, 21),
  );
  const largest = expressions.literal("1e+308");
  return expressions.union(digit(expressions, 0, 0), longWhole(expressions, 0), large, largest);
}

/** Digits, the first of which is not 0: at least `more` after it, and as many as JSON.stringify writes. */
function longWhole(expressions: Expressions, more: number): Expression {
  return expressions.sequence(digit(expressions, 1, 9), anyDigits(expressions, more, MOST_WHOLE_DIGITS - 1));
}

/**
 * Numbers from 1 on with an exponent of at least -`least`. Spellings with several digits before the point have smaller exponents,
 * so that only the length of the part before the point, one digit or more, has to be known.
 */
function scientific(expressions: Expressions, least: number): Expression {
  const short = expressions.sequence(
    mixedDigits(expressions, 1, 1, MOST_SIGNIFICANT_DIGITS),
    exponent(expressions, 307, least),
  );
  const long = expressions.sequence(
    mixedDigits(expressions, 2, MOST_WHOLE_DIGITS, MOST_SIGNIFICANT_DIGITS),
    exponent(expressions, 199, least),
  );
  const most = decimalOf(Number.MAX_VALUE / 1e308);
  const largest = expressions.sequence(
    magnitudes(expressions, decimalOf(1), most, true),
    marker(expressions),
    expressions.optional(expressions.literal("+")),
    expressions.literal("308"),
  );
  return expressions.union(short, long, largest);
}

function marker(expressions: Expressions): Expression {
  return expressions.union(expressions.literal("e"), expressions.literal("E"));
}

/** From -`least` to `most`, in at most three digits. */
function exponent(expressions: Expressions, most: number, least: number): Expression {
  const positive = expressions.sequence(
    expressions.optional(expressions.literal("+")),
    upTo(expressions, most, 0),
  );
  const negative = expressions.sequence(expressions.literal("-"), upTo(expressions, least, 0));
  return expressions.sequence(marker(expressions), expressions.union(positive, negative));
}

/** The integers from `least` to `most`, which has three digits; zeros may stand in front when `least` is 0. */
function upTo(expressions: Expressions, most: number, least: number): Expression {
  const exact = (value: number) => ({ digits: BigInt(value), scale: 0 });
  if (least > 0) return magnitudes(expressions, exact(least), exact(most), false);
  return expressions.union(
    anyDigits(expressions, 1, 2),
    expressions.sequence(digit(expressions, 0, 0), anyDigits(expressions, 2, 2)),
    magnitudes(expressions, exact(100), exact(most), false),
  );
}
