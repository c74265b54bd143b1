/** Numbers of JSON (RFC 8259 section 6). */
import type { Expression, Expressions } from "../expression.ts";
import { StrategyError } from "../strategy-error.ts";
import {
  ceilingAt,
  type Decimal,
  decimalOf,
  floorAt,
  isMultiple,
  leastCommonMultiple,
  nextDown,
  nextUp,
} from "./decimal.ts";
import type { NumberAlternative } from "./normal-form.ts";
import { multiples, type ScaledBounds } from "./number-multiple.ts";
import { anyDigits, anyFraction, anyWhole, magnitudes } from "./number-range.ts";

/** Largest divisor, in units of its last digit: a state for each remainder. */
const LARGEST_DIVISOR = 10_000n;
const ONE: Decimal = { digits: 1n, scale: 0 };

/**
 * The numbers that are valid for the alternative.
 *
 * Any number, and any that is not negative, may be written in every way that JSON allows, with an exponent too. With other bounds,
 * multiples or excepted values no exponent is offered: this narrows how a value may be written, not which values there are.
 * Integers are written without a point.
 * Values are compared as decimals; an exclusive bound leaves out what a double cannot tell from it.
 * @throws StrategyError when a multipleOf takes too many states; ConstraintLimitError
 */
export function numberExpression(expressions: Expressions, alternative: NumberAlternative): Expression {
  const { notMultipleOf, except } = alternative;
  const unwanted = [
    ...notMultipleOf.map((divisor) => everyMultiple(expressions, divisorOf(divisor))),
    ...except.map((value) => spellings(expressions, value)),
  ];
  if (unwanted.length === 0 && !isExponentFree(alternative)) {
    const sign =
      alternative.minimum === 0 ? expressions.empty : expressions.optional(expressions.literal("-"));
    return expressions.sequence(sign, anyWhole(expressions), anyFraction(expressions), exponent(expressions));
  }
  return expressions.intersection(
    signed(alternative, (bounds) => unsigned(expressions, alternative, bounds), expressions),
    ...unwanted.map((expression) => expressions.complement(expression)),
  );
}

/** True where only spellings without exponent are offered: neither for any number nor for any from 0 on. */
function isExponentFree(alternative: NumberAlternative): boolean {
  const { integer, minimum, exclusiveMinimum, maximum, multipleOf } = alternative;
  const isOpen = minimum === Number.NEGATIVE_INFINITY || (minimum === 0 && !exclusiveMinimum);
  return integer || multipleOf.length > 0 || maximum !== Number.POSITIVE_INFINITY || !isOpen;
}

function exponent(expressions: Expressions): Expression {
  const marker = expressions.union(expressions.literal("e"), expressions.literal("E"));
  const sign = expressions.union(expressions.literal("+"), expressions.literal("-"));
  return expressions.optional(
    expressions.sequence(marker, expressions.optional(sign), anyDigits(expressions, 1)),
  );
}

/** Inclusive, as doubles. */
interface Bounds {
  readonly low: number;
  readonly high: number;
}

/** An exclusive bound is the next double as an inclusive one: then no text between them can be read as the bound itself. */
function boundsOf(alternative: NumberAlternative): Bounds {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = alternative;
  return {
    low: exclusiveMinimum && Number.isFinite(minimum) ? nextUp(minimum) : minimum,
    high: exclusiveMaximum && Number.isFinite(maximum) ? nextDown(maximum) : maximum,
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
  const divisor = commonDivisor(alternative);
  if (divisor === null) {
    return magnitudes(expressions, decimalOf(low), Number.isFinite(high) ? decimalOf(high) : null, true);
  }
  const bounds = scaledBounds(low, high, divisor.scale);
  if (bounds.high !== null && bounds.low > bounds.high) return expressions.nothing;
  if (divisor.digits !== 1n || divisor.scale !== 0) return multiples(expressions, divisor, bounds);
  const most = bounds.high === null ? null : { digits: bounds.high, scale: 0 };
  return magnitudes(expressions, { digits: bounds.low, scale: 0 }, most, false);
}

function scaledBounds(low: number, high: number, scale: number): ScaledBounds {
  return {
    low: ceilingAt(decimalOf(low), scale),
    high: Number.isFinite(high) ? floorAt(decimalOf(high), scale) : null,
  };
}

/** What all values are multiples of; null: nothing is asked. */
function commonDivisor({ integer, multipleOf }: NumberAlternative): Decimal | null {
  const divisors = [...multipleOf.map(divisorOf), ...(integer ? [ONE] : [])];
  const common = divisors.reduce<Decimal | null>(
    (a, b) => (a === null ? b : leastCommonMultiple(a, b)),
    null,
  );
  if (common !== null && common.digits > LARGEST_DIVISOR) throw tooLarge(multipleOf);
  return common;
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
    `multipleOf ${values.join(" and ")} takes more than ${LARGEST_DIVISOR} states; write a divisor with at most four digits`,
  );
}

/** Every spelling without exponent of every multiple. */
function everyMultiple(expressions: Expressions, divisor: Decimal): Expression {
  const sign = expressions.optional(expressions.literal("-"));
  return expressions.sequence(sign, multiples(expressions, divisor, { low: 0n, high: null }, true));
}

/** Every spelling without exponent of a value. */
function spellings(expressions: Expressions, value: number): Expression {
  const magnitude = decimalOf(Math.abs(value));
  const sign = expressions.literal("-");
  return expressions.sequence(
    value === 0 ? expressions.optional(sign) : value < 0 ? sign : expressions.empty,
    magnitudes(expressions, magnitude, magnitude, true),
  );
}

/** True when some number is valid for it. @throws StrategyError as numberExpression does */
export function isNumberPossible(alternative: NumberAlternative): boolean {
  const { low, high } = boundsOf(alternative);
  if (low > high) return false;
  const divisor = commonDivisor(alternative);
  if (divisor !== null) return hasPossibleMultiple(alternative, divisor, { low, high });
  return low < high || matchesNumber(alternative, low);
}

/** Tries multiples in turn. Among 2^n in a row, n further divisors leave at least one (Jacobsthal's function is smaller), if any leaves one at all. */
function hasPossibleMultiple(
  alternative: NumberAlternative,
  divisor: Decimal,
  { low, high }: Bounds,
): boolean {
  const others = alternative.notMultipleOf.map(divisorOf);
  if (others.some((other) => isMultiple(divisor, other))) return false;
  const from = Number.isFinite(low) ? low : Number.isFinite(high) ? -high : 0;
  const to = Number.isFinite(low) ? high : Number.POSITIVE_INFINITY;
  const first = firstFactor(from, divisor);
  const last = Number.isFinite(to) ? lastFactor(to, divisor) : null;
  const tries = 2n ** BigInt(Math.min(others.length, 16)) * BigInt(alternative.except.length + 1);
  for (let factor = first; factor < first + tries; factor++) {
    if (last !== null && factor > last) return false;
    const value = { digits: factor * divisor.digits, scale: divisor.scale };
    if (others.some((other) => isMultiple(value, other))) continue;
    if (!alternative.except.some((other) => isEqual(decimalOf(other), value, Number.isFinite(low))))
      return true;
  }
  return false;
}

function firstFactor(low: number, divisor: Decimal): bigint {
  const quotient = ceilingAt(decimalOf(low), divisor.scale);
  return ceilingOf(quotient, divisor.digits);
}

function lastFactor(high: number, divisor: Decimal): bigint {
  return -ceilingOf(-floorAt(decimalOf(high), divisor.scale), divisor.digits);
}

function ceilingOf(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value > 0n && value % by !== 0n ? quotient + 1n : quotient;
}

function isEqual(a: Decimal, b: Decimal, isUpright: boolean): boolean {
  const digits = isUpright ? a.digits : -a.digits;
  return digits * 10n ** BigInt(b.scale) === b.digits * 10n ** BigInt(a.scale);
}

/** True when the number is valid for it. Decimals are taken as they are written: 0.07 is a multiple of 0.01. */
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
