/**
 * Numbers without bounds. Open numbers are written in every way of RFC 8259 section 6, but for those that are no finite double:
 * JSON.parse reads 1e999 as Infinity. Canonical ones are written as `JSON.stringify` writes them: one text for each value.
 */
import type { Expression, Expressions } from "../../automaton/expression.ts";
import { parseRegex, regexExpression } from "../../regex/regex.ts";
import { EXACT_DIGITS } from "./decimal.ts";
import { decimalsExpression } from "./decimal-machine.ts";
import { digitsWithOptionalFraction, fractionOfZero, SIGNIFICANT_DIGITS, WHOLE_DIGITS } from "./digits.ts";

/** Exponents up to 307: all decimals with one digit before the point are finite and normal doubles. */
const from100 = "[12]\\d\\d|30[0-7]";
const from21 = `2[1-9]|[3-9]\\d|${from100}`;

function regex(expressions: Expressions, source: string): Expression {
  return regexExpression(expressions, parseRegex(source), { anchored: true });
}

/** Any number from 0 on, without a sign. */
export function anyNonNegativeNumber(expressions: Expressions): Expression {
  const exponents = expressions.optional(exponent(expressions, 307, 999));
  const zero = expressions.sequence(expressions.literal("0"), fractionOfZero(expressions), exponents);
  return expressions.union(zero, fromOne(expressions, 999));
}

/** Any number that is read as one above 0. 1e-323 is the smallest power of ten that is not read as 0. */
export function anyPositiveNumber(expressions: Expressions): Expression {
  const small = decimalsExpression(expressions, {
    low: Number.MIN_VALUE,
    high: 1,
    digits: SIGNIFICANT_DIGITS,
  });
  return expressions.union(small, fromOne(expressions, 323));
}

/**
 * Any integer from 0 on. From 1e21 on with an exponent and without a point: with one, a model that begins to write 1.5 would
 * be led to 1.5e+21.
 */
export function anyNonNegativeInteger(expressions: Expressions): Expression {
  const large = decimalsExpression(expressions, { low: 21, high: 307, digits: 0 });
  return expressions.union(
    decimalsExpression(expressions, { low: 0, high: Number.POSITIVE_INFINITY, digits: 0 }),
    expressions.sequence(expressions.byte(0x31, 0x39), expressions.literal("e+"), large),
    expressions.literal("1e+308"),
  );
}

/**
 * Numbers with a digit from 1 on before the point, and perhaps an exponent of at least -`least`: smaller exponents if several
 * digits stand before the point.
 */
function fromOne(expressions: Expressions, least: number): Expression {
  const numbers = (min: number, max: number, most: number) =>
    expressions.sequence(
      digitsWithOptionalFraction(expressions, min, max, SIGNIFICANT_DIGITS),
      expressions.optional(exponent(expressions, most, least)),
    );
  const largest = expressions.sequence(
    decimalsExpression(expressions, { low: 1, high: Number.MAX_VALUE / 1e308, digits: SIGNIFICANT_DIGITS }),
    marker(expressions),
    expressions.optional(expressions.literal("+")),
    expressions.literal("308"),
  );
  return expressions.union(numbers(1, 1, 307), numbers(2, WHOLE_DIGITS, 199), largest);
}

/** From -`least` to `most`, in at most three digits. */
function exponent(expressions: Expressions, most: number, least: number): Expression {
  const positive = expressions.sequence(
    expressions.optional(expressions.literal("+")),
    upTo(expressions, most),
  );
  const negative = expressions.sequence(expressions.literal("-"), upTo(expressions, least));
  return expressions.sequence(marker(expressions), expressions.union(positive, negative));
}

function marker(expressions: Expressions): Expression {
  return expressions.union(expressions.literal("e"), expressions.literal("E"));
}

/** The integers up to `most`, which has three digits; zeros may stand in front. */
function upTo(expressions: Expressions, most: number): Expression {
  const digit = expressions.byte(0x30, 0x39);
  return expressions.union(
    expressions.repeat(digit, 1, 2),
    expressions.sequence(expressions.literal("0"), digit, digit),
    decimalsExpression(expressions, { low: 100, high: most, digits: 0 }),
  );
}

/** At most `most` digits, of which the last is not 0. */
const fraction = (most: number) => `\\d{0,${most - 1}}[1-9]`;
const mantissa = `[1-9](?:\\.${fraction(EXACT_DIGITS - 1)})?`;

/** Above the safe integers: 15 digits and zeros, up to 21 digits in all; then an exponent (ECMA-262, Number::toString). */
const largeIntegers = [
  `[1-9]\\d{${EXACT_DIGITS - 1}}0{1,${WHOLE_DIGITS - EXACT_DIGITS}}`,
  `${mantissa}e\\+(?:${from21})`,
];

const fractions = [
  // 1.5, 20.25: some digits on both sides, 15 at most together.
  ...Array.from(
    { length: EXACT_DIGITS - 1 },
    (_, index) => `[1-9]\\d{${index}}\\.${fraction(EXACT_DIGITS - 1 - index)}`,
  ),
  // 0.5, 0.000001: below that, there is an exponent.
  `0\\.0{0,5}[1-9](?:${fraction(EXACT_DIGITS - 1)})?`,
  `${mantissa}e-(?:[7-9]|[1-9]\\d|${from100})`,
];

/**
 * The numbers (if `integer`, the integers) of up to 15 significant digits, and the safe integers: no zeros at the end of a fraction, an exponent only where
 * it is large, no -0. Two of them are the same double only if they are the same text. Doubles that take 16 or 17 digits are left out.
 */
export function canonicalNumber(expressions: Expressions, integer: boolean): Expression {
  const safe = decimalsExpression(expressions, { low: 1, high: Number.MAX_SAFE_INTEGER, digits: 0 });
  const others = regex(expressions, (integer ? largeIntegers : [...largeIntegers, ...fractions]).join("|"));
  return expressions.union(
    expressions.literal("0"),
    expressions.sequence(expressions.optional(expressions.literal("-")), expressions.union(safe, others)),
  );
}
