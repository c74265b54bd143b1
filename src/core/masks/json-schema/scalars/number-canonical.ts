/** Numbers as `JSON.stringify` writes them: one text for each value. */
import type { Expression, Expressions } from "../../automaton/expression.ts";
import { EXACT_DIGITS } from "./decimal.ts";
import { anyDigits, digit, magnitudes } from "./number-range.ts";

/** From 10^21 on, and below 10^-6, there is an exponent (ECMA-262, Number::toString). */
const LARGEST_PLAIN = 21;
const SMALLEST_PLAIN = 6;
/** Largest powers of ten with which all such decimals are normal doubles. */
const LARGEST_POWER = 307;

/**
 * The numbers of up to 15 significant digits, and the safe integers, each in the one way in which `JSON.stringify` writes it:
 * no zeros at the end of a fraction, an exponent only where it is large, no -0. Two of them are the same double only if they
 * are the same text. Doubles that take 16 or 17 digits are left out.
 */
export function canonicalNumber(expressions: Expressions): Expression {
  const positive = expressions.union(
    wholeNumbers(expressions),
    mixedFractions(expressions),
    plainFractions(expressions),
    scientific(expressions, "e-", SMALLEST_PLAIN + 1),
  );
  return signed(expressions, positive);
}

/** The integers among them. */
export function canonicalInteger(expressions: Expressions): Expression {
  return signed(expressions, wholeNumbers(expressions));
}

function signed(expressions: Expressions, positive: Expression): Expression {
  const sign = expressions.optional(expressions.literal("-"));
  return expressions.union(expressions.literal("0"), expressions.sequence(sign, positive));
}

function wholeNumbers(expressions: Expressions): Expression {
  const safe = { digits: BigInt(Number.MAX_SAFE_INTEGER), scale: 0 };
  return expressions.union(
    magnitudes(expressions, { digits: 1n, scale: 0 }, safe, false),
    expressions.sequence(
      digit(expressions, 1, 9),
      anyDigits(expressions, EXACT_DIGITS - 1, EXACT_DIGITS - 1),
      expressions.repeat(digit(expressions, 0, 0), 1, LARGEST_PLAIN - EXACT_DIGITS),
    ),
    scientific(expressions, "e+", LARGEST_PLAIN),
  );
}

/** 1.5, 20.25: some digits on both sides, 15 at most together. */
function mixedFractions(expressions: Expressions): Expression {
  const lengths = Array.from({ length: EXACT_DIGITS - 1 }, (_, index) => index + 1);
  return expressions.union(
    ...lengths.map((whole) =>
      expressions.sequence(
        digit(expressions, 1, 9),
        anyDigits(expressions, whole - 1, whole - 1),
        expressions.literal("."),
        endingInDigit(expressions, EXACT_DIGITS - whole),
      ),
    ),
  );
}

/** 0.5, 0.000001. */
function plainFractions(expressions: Expressions): Expression {
  const zeros = expressions.repeat(digit(expressions, 0, 0), 0, SMALLEST_PLAIN - 1);
  const digits = expressions.union(
    digit(expressions, 1, 9),
    expressions.sequence(digit(expressions, 1, 9), endingInDigit(expressions, EXACT_DIGITS - 1)),
  );
  return expressions.sequence(expressions.literal("0."), zeros, digits);
}

/** At most `most` digits, of which the last is not 0. */
function endingInDigit(expressions: Expressions, most: number): Expression {
  return expressions.sequence(anyDigits(expressions, 0, most - 1), digit(expressions, 1, 9));
}

function scientific(expressions: Expressions, marker: string, least: number): Expression {
  const fraction = expressions.sequence(
    expressions.literal("."),
    endingInDigit(expressions, EXACT_DIGITS - 1),
  );
  const exact = (value: number) => ({ digits: BigInt(value), scale: 0 });
  return expressions.sequence(
    digit(expressions, 1, 9),
    expressions.optional(fraction),
    expressions.literal(marker),
    magnitudes(expressions, exact(least), exact(LARGEST_POWER), false),
  );
}
