/** Numbers as `JSON.stringify` writes them: one text for each value. */
import type { Expression, Expressions } from "../../automaton/expression.ts";
import { parseRegex, regexExpression } from "../../regex/regex.ts";
import { EXACT_DIGITS } from "./decimal.ts";
import { magnitudes } from "./number-range.ts";

/** At most `most` digits, of which the last is not 0. */
const fraction = (most: number) => `\\d{0,${most - 1}}[1-9]`;
/** A number as an exponent: 1.25 of 1.25e-7. */
const mantissa = `[1-9](?:\\.${fraction(EXACT_DIGITS - 1)})?`;
/** Exponents up to 307: all such decimals are normal doubles. */
const toHundreds = "[12]\\d\\d|30[0-7]";

/** Above the safe integers: 15 digits and zeros, up to 21 digits in all; then an exponent (ECMA-262, Number::toString). */
const largeIntegers = [
  `[1-9]\\d{${EXACT_DIGITS - 1}}0{1,${21 - EXACT_DIGITS}}`,
  `${mantissa}e\\+(?:2[1-9]|[3-9]\\d|${toHundreds})`,
];

const fractions = [
  // 1.5, 20.25: some digits on both sides, 15 at most together.
  ...Array.from(
    { length: EXACT_DIGITS - 1 },
    (_, index) => `[1-9]\\d{${index}}\\.${fraction(EXACT_DIGITS - 1 - index)}`,
  ),
  // 0.5, 0.000001: below that, there is an exponent.
  `0\\.0{0,5}[1-9](?:${fraction(EXACT_DIGITS - 1)})?`,
  `${mantissa}e-(?:[7-9]|[1-9]\\d|${toHundreds})`,
];

/**
 * The numbers of up to 15 significant digits, and the safe integers, each in the one way in which `JSON.stringify` writes it:
 * no zeros at the end of a fraction, an exponent only where it is large, no -0. Two of them are the same double only if they
 * are the same text. Doubles that take 16 or 17 digits are left out.
 */
export function canonicalNumber(expressions: Expressions): Expression {
  return signed(expressions, [...largeIntegers, ...fractions]);
}

/** The integers among them. */
export function canonicalInteger(expressions: Expressions): Expression {
  return signed(expressions, largeIntegers);
}

/** 0, and the safe integers and others from 1 on, with a sign or without. */
function signed(expressions: Expressions, others: readonly string[]): Expression {
  const most = { digits: BigInt(Number.MAX_SAFE_INTEGER), scale: 0 };
  const safe = magnitudes(expressions, { digits: 1n, scale: 0 }, most, false);
  const positive = regexExpression(expressions, parseRegex(others.join("|")), { anchored: true });
  const sign = expressions.optional(expressions.literal("-"));
  return expressions.union(
    expressions.literal("0"),
    expressions.sequence(sign, expressions.union(safe, positive)),
  );
}
