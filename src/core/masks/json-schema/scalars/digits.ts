/**
 * Expressions for repetitions of digits: whole numbers, and the rest of a number after its first digits, where no bound
 * limits the next digit.
 */
import type { Expression, Expressions } from "../../automaton/expression.ts";

export const ZERO = 0x30;
/**
 * The most significant digits of a fraction: 17 are enough to distinguish any two doubles, and JSON.stringify writes no
 * more.
 */
export const SIGNIFICANT_DIGITS = 17;
/**
 * The most digits before the point, unless a bound has more: JSON.stringify writes at most 21 (ECMA-262, Number::toString).
 */
export const WHOLE_DIGITS = 21;
/**
 * The most zeros between the point and the first other digit of a number below 1, unless the upper bound has more.
 * JSON.stringify writes at most six.
 */
export const MOST_ZEROS = 20;

/** A digit from `first` to `last`, `min` to `max` times. */
export function repeatedDigit(
  expressions: Expressions,
  first: number,
  last: number,
  min: number,
  max: number,
): Expression {
  return max < min
    ? expressions.nothing
    : expressions.repeat(expressions.byte(ZERO + first, ZERO + last), min, max);
}

export function pointBefore(expressions: Expressions, after: Expression): Expression {
  return expressions.sequence(expressions.literal("."), after);
}

/**
 * `min` to `max` digits of which the first is not 0, and perhaps a fraction; with a fraction, at most `digits` digits in
 * all.
 */
export function digitsWithOptionalFraction(
  expressions: Expressions,
  min: number,
  max: number,
  digits: number,
): Expression {
  const more = restOfNumber(expressions, 1, { min, max, digits }, new Map());
  return expressions.sequence(repeatedDigit(expressions, 1, 9, 1, 1), more);
}

export interface DigitLengths {
  /** Digits before the point. */
  readonly min: number;
  readonly max: number;
  /** The most digits in all of a number with a fraction. */
  readonly digits: number;
}

/** The rest of any number with such lengths after `count` digits. @param made what it has made before */
export function restOfNumber(
  expressions: Expressions,
  count: number,
  lengths: DigitLengths,
  made: Map<number, Expression>,
): Expression {
  const { min, max, digits } = lengths;
  // Numbers with so many digits before the point have no fraction.
  if (count >= digits) return repeatedDigit(expressions, 0, 9, Math.max(0, min - count), max - count);
  const key = (count * 1000 + min) * 1000 + max;
  const known = made.get(key);
  if (known !== undefined) return known;
  const end = count < min ? expressions.nothing : maybeFraction(expressions, digits - count);
  const longer =
    count < max
      ? expressions.pair(
          repeatedDigit(expressions, 0, 9, 1, 1),
          restOfNumber(expressions, count + 1, lengths, made),
        )
      : expressions.nothing;
  const all = expressions.union(end, longer);
  made.set(key, all);
  return all;
}

function maybeFraction(expressions: Expressions, most: number): Expression {
  return expressions.optional(pointBefore(expressions, repeatedDigit(expressions, 0, 9, 1, most)));
}

/** Any fraction after a 0, with its point, or nothing. */
export function fractionOfZero(expressions: Expressions): Expression {
  return expressions.optional(
    pointBefore(expressions, smallFraction(expressions, 1, MOST_ZEROS, SIGNIFICANT_DIGITS)),
  );
}

/** The digits after `0.`: up to `zeros` zeros, then up to `digits` digits, at least `min` (0 or 1) in all. */
export function smallFraction(
  expressions: Expressions,
  min: number,
  zeros: number,
  digits: number,
): Expression {
  const significant = expressions.sequence(
    repeatedDigit(expressions, 0, 0, 0, zeros),
    repeatedDigit(expressions, 1, 9, 1, 1),
    repeatedDigit(expressions, 0, 9, 0, digits - 1),
  );
  return expressions.union(repeatedDigit(expressions, 0, 0, min, zeros), significant);
}
