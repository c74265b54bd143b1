/**
 * Decimals between two bounds, digit by digit. While the text equals the start of a bound, that bound limits the next digit.
 * Example: `{ "type": "number", "minimum": 0.25, "maximum": 12 }`, and a model that writes `0.31`:
 *
 *     text    bounds that still limit   what may follow
 *             low (0), high (12)        0 to 9
 *     0       low                       a point: 0 alone is below 0.25
 *     0.      low                       2 (equals the bound) or 3 to 9 (above the bound)
 *     0.3     none                      the end, or up to 16 digits: 17 significant digits in all
 *     0.31    none                      the end, or up to 15 digits
 *
 * After `0.2` the low bound still limits: 5 to 9 may follow. After `12` the high bound limits: only a point and zeros may follow.
 */
import { byteSet } from "../../automaton/byte-set.ts";
import type { Expression, Expressions } from "../../automaton/expression.ts";
import { type Decimal, spell } from "./decimal.ts";

const ZERO = 0x30;
/** Most digits before the point, unless a bound has more: JSON.stringify writes at most 21 (ECMA-262, Number::toString). */
export const MOST_WHOLE_DIGITS = 21;

/** One digit from `first` to `last`; matches nothing if `first` is above `last`. */
export function digit(expressions: Expressions, first: number, last: number): Expression {
  return first > last ? expressions.nothing : expressions.bytes(byteSet([ZERO + first, ZERO + last]));
}

export function anyDigits(expressions: Expressions, min: number, max = Number.POSITIVE_INFINITY): Expression {
  return expressions.repeat(digit(expressions, 0, 9), min, max);
}

/** Most significant digits: 17 are enough to distinguish any two doubles, and JSON.stringify writes no more. */
export const MOST_SIGNIFICANT_DIGITS = 17;
/** Most zeros between the point and the first other digit of a number below 1. JSON.stringify writes at most six. */
const MOST_ZEROS = 20;

/** A point and 1 to `most` digits, or nothing. */
function anyFraction(expressions: Expressions, most: number): Expression {
  if (most < 1) return expressions.empty;
  return expressions.optional(
    expressions.sequence(expressions.literal("."), anyDigits(expressions, 1, most)),
  );
}

/** Up to `zeros` zeros, then 1 to `most` digits, the first of which is not 0. */
function significantDigits(expressions: Expressions, zeros: number, most: number): Expression {
  return expressions.sequence(
    expressions.repeat(digit(expressions, 0, 0), 0, zeros),
    digit(expressions, 1, 9),
    anyDigits(expressions, 0, most - 1),
  );
}

/** The rest of a number below 1 after its 0: a point and digits, 17 of them significant, or nothing. */
export function fractionOfZero(expressions: Expressions): Expression {
  const digits = expressions.union(
    expressions.repeat(digit(expressions, 0, 0), 1, MOST_ZEROS),
    significantDigits(expressions, MOST_ZEROS, MOST_SIGNIFICANT_DIGITS),
  );
  return expressions.optional(expressions.sequence(expressions.literal("."), digits));
}

/**
 * Digits, the first of which is not 0, and a fraction: with it `most` significant digits. A model that writes a fraction without
 * end comes to its end.
 * @param min digits of the whole part, at least 1, and at most `max`
 */
export function mixedDigits(expressions: Expressions, min: number, max: number, most: number): Expression {
  let made = anyFraction(expressions, most - max);
  for (let length = max - 1; length >= 1; length--) {
    const longer = expressions.sequence(digit(expressions, 0, 9), made);
    made = length < min ? longer : expressions.union(anyFraction(expressions, most - length), longer);
  }
  return expressions.sequence(digit(expressions, 1, 9), made);
}

/**
 * Every spelling without sign and exponent of the decimals from `low` to `high` (null: no end but that of
 * the digits that are written, 21 of them or as many as `low` has), both included and not negative; of the integers alone,
 * without a point, when `fraction` is false: then the bounds have to be integers. Fractions have as many digits as the bounds,
 * or as many as make `mostSignificant` digits with those before the point.
 */
export function magnitudes(
  expressions: Expressions,
  low: Decimal,
  high: Decimal | null,
  fraction: boolean,
  mostSignificant: number = MOST_SIGNIFICANT_DIGITS,
): Expression {
  return new Range(expressions, spell(low), high && spell(high), fraction ? mostSignificant : null).build();
}

interface Spelled {
  readonly whole: string;
  readonly fraction: string;
}

class Range {
  readonly #expressions: Expressions;
  readonly #low: Spelled;
  readonly #high: Spelled | null;
  /** Most significant digits of a number with a fraction; null if no number has a fraction. */
  readonly #most: number | null;

  constructor(expressions: Expressions, low: Spelled, high: Spelled | null, most: number | null) {
    this.#expressions = expressions;
    this.#low = low;
    this.#high = high;
    this.#most = most;
  }

  /** By length of the whole part: that of `low`, those between, that of `high`. */
  build(): Expression {
    const low = this.#low.whole.length;
    const high = this.#high?.whole.length ?? Math.max(low, MOST_WHOLE_DIGITS) + 1;
    if (low > high) return this.#expressions.nothing;
    if (low === high) return this.#whole(0, true, true);
    const between = high - low > 1 ? this.#between(low + 1, high - 1) : this.#expressions.nothing;
    const highest = this.#high === null ? this.#expressions.nothing : this.#whole(0, false, true);
    return this.#expressions.union(this.#whole(0, true, false), between, highest);
  }

  /** All numbers whose whole part has `min` to `max` digits. */
  #between(min: number, max: number): Expression {
    if (this.#most !== null && this.#most < Number.POSITIVE_INFINITY)
      return mixedDigits(this.#expressions, min, max, this.#most);
    return this.#expressions.sequence(
      this.#digit(1, 9),
      anyDigits(this.#expressions, min - 1, max - 1),
      this.#anyFraction(max),
    );
  }

  /** The rest from digit `at` of the whole part, when all before it equal those of the bounds that still hold. */
  #whole(at: number, low: boolean, high: boolean): Expression {
    const length = (low ? this.#low : (this.#high ?? this.#low)).whole.length;
    if (at === length) return this.#most === null ? this.#expressions.empty : this.#point(low, high);
    const least = low ? Number(this.#low.whole[at]) : at === 0 && length > 1 ? 1 : 0;
    const most = high ? Number(this.#high?.whole[at]) : 9;
    const between = (first: number, last: number) =>
      this.#expressions.sequence(
        this.#digit(first, last),
        anyDigits(this.#expressions, length - at - 1, length - at - 1),
        this.#anyFraction(length),
      );
    return this.#split(least, most, low, high, between, (onLow, onHigh) =>
      this.#whole(at + 1, onLow, onHigh),
    );
  }

  #point(low: boolean, high: boolean): Expression {
    const point = this.#expressions.literal(".");
    const some = this.#expressions.sequence(point, this.#digits(0, low, high));
    return low && this.#low.fraction !== "" ? some : this.#expressions.optional(some);
  }

  /** The fraction from digit `at` on, of a number whose earlier digits are those of a bound. The first digit (`at` 0) has to follow. */
  #digits(at: number, low: boolean, high: boolean): Expression {
    const least = low ? this.#low.fraction.slice(at) : "";
    const most = high ? (this.#high?.fraction.slice(at) ?? "") : null;
    const start = at === 0 ? 1 : 0;
    const significant = this.#significantDigits(at, low ? this.#low : (this.#high ?? this.#low));
    if (least === "" && most === null) return this.#free(start, at, significant);
    if (least === "" && most === "")
      return this.#expressions.repeat(
        this.#digit(0, 0),
        start,
        Math.max(start, this.#digitsLeft(at, significant)),
      );
    const zeros = /^0*/.exec(least)?.[0].length ?? 0;
    if (most === null && zeros > 1 && significant === 0) {
      const left = this.#digitsLeft(at, significant);
      const early = significantDigits(this.#expressions, Math.min(zeros - 1, left), this.#most ?? 1);
      // Larger numbers of the range need fewer zeros than this bound, 5e-324 for "above 0".
      if (zeros > left) return early;
      const late = this.#expressions.sequence(
        this.#expressions.repeat(this.#digit(0, 0), zeros, zeros),
        this.#digits(at + zeros, low, high),
      );
      return this.#expressions.union(early, late);
    }
    const split = this.#split(
      Number(least[0] ?? 0),
      most === null ? 9 : Number(most[0] ?? 0),
      low && least !== "",
      most !== null,
      (first, last) => this.#freeAfter(first, last, at, significant),
      (onLow, onHigh) => this.#digits(at + 1, onLow, onHigh),
    );
    return least === "" && at > 0 ? this.#expressions.optional(split) : split;
  }

  /** Digit `at` of the fraction, from `first` to `last`, and any digits after it. @param significant digits before it */
  #freeAfter(first: number, last: number, at: number, significant: number): Expression {
    if (significant > 0 || first > 0)
      return this.#expressions.sequence(this.#digit(first, last), this.#free(0, at + 1, significant + 1));
    return this.#expressions.union(
      this.#expressions.sequence(this.#digit(0, 0), this.#free(0, at + 1, 0)),
      this.#expressions.sequence(this.#digit(1, last), this.#free(0, at + 1, 1)),
    );
  }

  /** At least `start` digits from digit `at` of the fraction on. Zeros at the beginning of a number below 1 are not significant. */
  #free(start: number, at: number, significant: number): Expression {
    const left = Math.max(start, this.#digitsLeft(at, significant));
    if (significant > 0) return anyDigits(this.#expressions, start, left);
    return this.#expressions.union(
      this.#expressions.repeat(this.#digit(0, 0), start, left),
      significantDigits(this.#expressions, left, this.#most ?? 1),
    );
  }

  /** A digit that equals the bound's leaves the bound in force. A digit strictly between the bounds frees the rest. */
  #split(
    least: number,
    most: number,
    low: boolean,
    high: boolean,
    free: (first: number, last: number) => Expression,
    follow: (onLow: boolean, onHigh: boolean) => Expression,
  ): Expression {
    if (low && high && least === most)
      return this.#expressions.sequence(this.#digit(least, least), follow(true, true));
    const first = least + (low ? 1 : 0);
    const last = most - (high ? 1 : 0);
    return this.#expressions.union(
      first > last ? this.#expressions.nothing : free(first, last),
      low && least <= most
        ? this.#expressions.sequence(this.#digit(least, least), follow(true, false))
        : this.#expressions.nothing,
      high && least <= most
        ? this.#expressions.sequence(this.#digit(most, most), follow(false, true))
        : this.#expressions.nothing,
    );
  }

  #digit(first: number, last: number): Expression {
    return digit(this.#expressions, first, last);
  }

  /** @param whole digits before the point */
  #anyFraction(whole: number): Expression {
    if (this.#most === null) return this.#expressions.empty;
    return anyFraction(this.#expressions, this.#most - whole);
  }

  /** Significant digits of the number that begins as the bound does, as far as digit `at` of its fraction. */
  #significantDigits(at: number, { whole, fraction }: Spelled): number {
    if (whole !== "0") return whole.length + at;
    return fraction.slice(0, at).padEnd(at, "0").replace(/^0+/, "").length;
  }

  /** How many digits may follow the first `at` of a fraction: zeros, if no digit is significant yet. */
  #digitsLeft(at: number, significant: number): number {
    return Math.max(0, significant === 0 ? MOST_ZEROS - at : (this.#most ?? 0) - significant);
  }
}
