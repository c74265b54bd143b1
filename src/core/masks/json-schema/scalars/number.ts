/** Numbers of JSON (RFC 8259 section 6). */
import type { Expression, Expressions } from "../../automaton/expression.ts";
import { StrategyError } from "../../strategy-error.ts";
import type { NumberAlternative } from "../normal-form.ts";
import {
  type Decimal,
  decimalOf,
  EXACT_DIGITS,
  isMultiple,
  leastCommonMultiple,
  nextDown,
  nextUp,
  scaled,
} from "./decimal.ts";
import { decimalsExpression } from "./decimal-machine.ts";
import { SIGNIFICANT_DIGITS } from "./digits.ts";
import { anyNonNegativeInteger, anyNonNegativeNumber, anyPositiveNumber } from "./number-spellings.ts";

/** Largest divisor, in units of its last digit. Its remainders become states only where an answer goes. */
const LARGEST_DIVISOR = 1_000_000_000n;
/** Largest divisor if values are left out as well: whether a number is left is searched among all remainders. */
const LARGEST_SEARCHED_DIVISOR = 10_000n;
/** The largest power of ten that is a double. */
const LARGEST_POWER = 1e308;
const ONE: Decimal = { digits: 1n, scale: 0 };

/**
 * The numbers that are valid for the alternative. Every offered text is valid once a parser reads the text as a double: none is read as Infinity.
 *
 * Numbers without an upper bound may be written in every way that JSON allows when they have no lower one or it is 0; with other
 * bounds, multiples or excepted values no exponent is offered. With multiples, numbers have as many digits as doubles tell
 * apart. This narrows how a value may be written, not which values of everyday size there are.
 * Integers are written without a point.
 * Values are compared as decimals; an exclusive bound leaves out what a double cannot tell from it.
 * @throws StrategyError when a multipleOf has too many digits, or bounds leave only numbers whose multiples doubles do not
 * tell apart; ConstraintLimitError
 */
export function numberExpression(expressions: Expressions, alternative: NumberAlternative): Expression {
  const open = isSearched(alternative) ? null : openExpression(expressions, alternative);
  if (open !== null) return open;
  const wanted = signed(alternative, (bounds) => unsigned(expressions, alternative, bounds), expressions);
  return expressions.difference(wanted, exceptedTexts(expressions, alternative));
}

/** All spellings of the excepted values, in one expression: a step looks at the digits that come next, not at each value. */
function exceptedTexts(expressions: Expressions, alternative: NumberAlternative): Expression {
  const isWhole = divisorOfAllValues(alternative)?.scale === 0;
  const texts = (value: number) => {
    if (isWhole && !Number.isInteger(value)) return expressions.nothing;
    // A whole number has one spelling. Exceptions: 0, and numbers so large that a double stands for several of them.
    const isExact = isWhole && Number.isSafeInteger(value) && value !== 0;
    return isExact ? expressions.literal(String(value)) : readAs(expressions, value);
  };
  return expressions.union(...alternative.except.map(texts));
}

/** All numbers, or all numbers from 0 on; null if the alternative has other conditions. */
function openExpression(expressions: Expressions, alternative: NumberAlternative): Expression | null {
  const { integer, minimum, exclusiveMinimum, maximum, multipleOf } = alternative;
  if (multipleOf.length > 0 || maximum !== Number.POSITIVE_INFINITY) return null;
  const isEndless = minimum === Number.NEGATIVE_INFINITY;
  if (!isEndless && minimum !== 0) return null;
  if (!isEndless && exclusiveMinimum) return integer ? null : anyPositiveNumber(expressions);
  const magnitude = integer ? anyNonNegativeInteger(expressions) : anyNonNegativeNumber(expressions);
  return isEndless ? expressions.sequence(optionalSign(expressions), magnitude) : magnitude;
}

function optionalSign(expressions: Expressions): Expression {
  return expressions.optional(expressions.literal("-"));
}

/** Inclusive, as doubles. */
export interface Bounds {
  readonly low: number;
  readonly high: number;
}

/**
 * An exclusive bound is the next double as an inclusive one: then no text between them can be read as the bound itself. An end
 * that is open is closed where nothing but the largest doubles is left.
 */
export function boundsOf(alternative: NumberAlternative): Bounds {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = alternative;
  const low = exclusiveMinimum && Number.isFinite(minimum) ? nextUp(minimum) : minimum;
  const high = exclusiveMaximum && Number.isFinite(maximum) ? nextDown(maximum) : maximum;
  return {
    low: high <= -LARGEST_POWER ? Math.max(low, -Number.MAX_VALUE) : low,
    high: low >= LARGEST_POWER ? Math.min(high, Number.MAX_VALUE) : high,
  };
}

/** The two halves, each as a range of magnitudes; -0 only where the range has other numbers below 0. */
function signed(
  alternative: NumberAlternative,
  unsignedOf: (bounds: Bounds) => Expression,
  expressions: Expressions,
): Expression {
  const { low, high } = boundsOf(alternative);
  if (low > high) return expressions.nothing;
  const positive = high >= 0 ? unsignedOf({ low: Math.max(low, 0), high }) : expressions.nothing;
  const negative = low < 0 ? unsignedOf({ low: Math.max(-high, 0), high: -low }) : expressions.nothing;
  return expressions.union(positive, expressions.sequence(expressions.literal("-"), negative));
}

/** Magnitudes from `low` to `high` that are what the alternative asks for. */
function unsigned(
  expressions: Expressions,
  alternative: NumberAlternative,
  { low, high }: Bounds,
): Expression {
  const divisor = divisorOfAllValues(alternative);
  const others = alternative.notMultipleOf.map(divisorOf);
  if (!asksForMultiples(alternative)) {
    return decimalsExpression(expressions, {
      low,
      high,
      digits: alternative.integer ? 0 : SIGNIFICANT_DIGITS,
    });
  }
  // Magnitudes end where doubles no longer tell decimals of that scale apart.
  if (divisor !== null) {
    const most = Math.min(high, largestExactDecimal(divisor.scale));
    const multiples = { of: divisor, notOf: others, places: divisor.scale };
    return decimalsExpression(expressions, { low, high: most, digits: SIGNIFICANT_DIGITS, multiples });
  }
  const within = decimalsExpression(expressions, {
    low,
    high: Math.min(high, 10 ** EXACT_DIGITS - 1),
    digits: EXACT_DIGITS,
  });
  const places = Math.max(1, ...others.map(({ scale }) => scale));
  const multiples = { of: { digits: 1n, scale: places }, notOf: others, places };
  const infinity = Number.POSITIVE_INFINITY;
  const wanted = decimalsExpression(expressions, { low: 0, high: infinity, digits: infinity, multiples });
  return expressions.intersection(within, wanted);
}

function asksForMultiples({ multipleOf, notMultipleOf }: NumberAlternative): boolean {
  return multipleOf.length + notMultipleOf.length > 0;
}

/** The number up to which all decimals with so many digits after the point are doubles of their own. */
export function largestExactDecimal(scale: number): number {
  return scale === 0 ? Number.MAX_SAFE_INTEGER : Number(`${"9".repeat(EXACT_DIGITS)}e-${scale}`);
}

/** A number of which all values are multiples; null if there is none. @throws StrategyError as `numberExpression` does */
export function divisorOfAllValues(alternative: NumberAlternative): Decimal | null {
  const { integer, multipleOf } = alternative;
  const divisors = [...multipleOf.map(divisorOf), ...(integer ? [ONE] : [])];
  const common = divisors.reduce<Decimal | null>(
    (a, b) => (a === null ? b : leastCommonMultiple(a, b)),
    null,
  );
  const most = alternative.except.length > 0 ? LARGEST_SEARCHED_DIVISOR : LARGEST_DIVISOR;
  if (common !== null && common.digits > most) throw tooLarge(multipleOf);
  if (common !== null && asksForMultiples(alternative)) checkSize(alternative, common);
  return common;
}

/** Whether other keywords exclude some of the values that the bounds and the divisor allow. */
function isSearched({ notMultipleOf, except }: NumberAlternative): boolean {
  return notMultipleOf.length + except.length > 0;
}

/** @throws StrategyError when the bounds leave only multiples that are too large */
function checkSize(alternative: NumberAlternative, divisor: Decimal): void {
  const { low, high } = boundsOf(alternative);
  const nearest = Math.max(low, -high, 0);
  if (low > high || !Number.isFinite(nearest)) return;
  if (firstMultiple(nearest, divisor) <= scaled(decimalOf(largestExactDecimal(divisor.scale)), divisor.scale))
    return;
  throw new StrategyError(
    "jsonSchema",
    "",
    `multipleOf cannot be enforced for numbers from ${nearest} up, because doubles cannot represent all of them exactly: ` +
      `set minimum and maximum so that numbers have at most ${EXACT_DIGITS} digits`,
  );
}

function divisorOf(value: number): Decimal {
  if (!(value > 0 && Number.isFinite(value))) {
    throw new StrategyError("jsonSchema", "", `multipleOf is ${value}; it must be greater than 0`);
  }
  const divisor = decimalOf(value);
  if (divisor.digits > LARGEST_DIVISOR) throw tooLarge([value]);
  return divisor;
}

function tooLarge(values: readonly number[]): StrategyError {
  return new StrategyError(
    "jsonSchema",
    "",
    `multipleOf ${values.join(" and ")} cannot be enforced: use at most nine digits, or four if other keywords exclude some numbers`,
  );
}

/**
 * Every spelling without exponent of what may be read as the value: all between its neighbours, which keep their own decimals.
 */
function readAs(expressions: Expressions, value: number): Expression {
  const magnitude = Math.abs(value);
  const between = (low: number, high: number) =>
    decimalsExpression(expressions, { low, high, digits: Number.POSITIVE_INFINITY });
  const above = nextUp(magnitude);
  if (value === 0) {
    const near = expressions.difference(between(0, above), between(above, above));
    return expressions.sequence(optionalSign(expressions), near);
  }
  const below = nextDown(magnitude);
  const neighbours = expressions.union(between(below, below), between(above, above));
  const near = expressions.difference(between(below, above), neighbours);
  return expressions.sequence(value < 0 ? expressions.literal("-") : expressions.empty, near);
}

/** The first multiple from `low` on, in units of the divisor's scale. */
function firstMultiple(low: number, { digits, scale }: Decimal): bigint {
  const from = decimalOf(low);
  const places = Math.max(scale, from.scale);
  const unit = digits * 10n ** BigInt(places - scale);
  return ((scaled(from, places) + unit - 1n) / unit) * digits;
}

/** Whether the number is valid for the alternative. Decimals count as they are written: 0.07 is a multiple of 0.01. */
export function matchesNumber(alternative: NumberAlternative, value: number): boolean {
  const { low, high } = boundsOf(alternative);
  if (value < low || value > high || alternative.except.includes(value)) return false;
  if (alternative.integer && !Number.isInteger(value)) return false;
  const { multipleOf, notMultipleOf } = alternative;
  if (multipleOf.length + notMultipleOf.length === 0) return true;
  const decimal = decimalOf(value);
  return (
    multipleOf.every((divisor) => isMultiple(decimal, decimalOf(divisor))) &&
    !notMultipleOf.some((divisor) => isMultiple(decimal, decimalOf(divisor)))
  );
}
