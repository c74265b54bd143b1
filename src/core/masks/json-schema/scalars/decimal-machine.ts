/**
 * Decimals without sign and exponent, digit by digit: ranges, multiples and integers. A state compares the text so far with the
 * beginnings of both bounds (-1 less, 0 equal, 1 more) and knows the remainder by the divisor.
 * Example: `{ "minimum": 0.3, "maximum": 12, "multipleOf": 0.25 }`, and a model that writes `1.75`. In hundredths the
 * divisor is 25. A remainder needs only the factors that the digits to come cannot supply. Its modulus is 1 before two more
 * decimal places, 5 before one, and 25 at the end.
 *
 *     text    low, high  remainder  what may follow
 *             0, 0       0          0 to 9
 *     1       1, 0       0          the end (100 hundredths); 0, 1 or 2 (1 equals the beginning of 12); a point
 *     1.      1, -1      0          0, 2, 5, 7: a digit that leads to a multiple. Shorter than 12, the number is less
 *     1.7     1, -1      2          5: 17 modulo 5 is 2, and 2 followed by 5 makes 25
 *     1.75    1, -1      0          the end (175 hundredths), or up to 14 zeros: 17 significant digits in all
 *
 * After `0` the low bound still limits: 0.2 is not offered. Without `multipleOf`, the texts after a state that differs from
 * both bounds are written as repetitions of digits, instead of state by state.
 */
import type { Expression, Expressions } from "../../automaton/expression.ts";
import { type Decimal, greatestCommonDivisor, leastCommonMultiple, plainDigits, scaled } from "./decimal.ts";
import {
  type DigitLengths,
  MOST_ZEROS,
  pointBefore,
  repeatedDigit,
  restOfNumber,
  smallFraction,
  WHOLE_DIGITS,
  ZERO,
} from "./digits.ts";

export interface DecimalRange {
  /** The bounds: included, and not negative. `high` may be Infinity if there are no `multiples`. */
  readonly low: number;
  readonly high: number;
  /**
   * The most significant digits of a number with a fraction. 0: only integers, without a point. Infinity: every spelling,
   * with any number of digits after the digits that the divisor has; such a number need not be a multiple.
   */
  readonly digits: number;
  /** Absent if all numbers of the range are allowed. */
  readonly multiples?: Multiples;
}

export interface Multiples {
  readonly of: Decimal;
  readonly notOf: readonly Decimal[];
  /** The number of digits after the point, at least as many as the divisor has; later digits are zeros. 0: no point. */
  readonly places: number;
}

/** All spellings of the numbers in the range, as an expression. */
export function decimalsExpression(expressions: Expressions, range: DecimalRange): Expression {
  const high = range.high === Number.POSITIVE_INFINITY ? -1 : 0;
  return new Machine(expressions, range).digits({ ...beginning, high });
}

interface State {
  /** The number of digits so far. */
  readonly count: number;
  /** The number of digits after the point; -1 before the point. */
  readonly places: number;
  /** The number of digits from the first digit that is not 0 on. */
  readonly significant: number;
  /**
   * The digits so far, compared with equally many digits of the bound (-1, 0 or 1); after the point, the number compared
   * with the bound.
   */
  readonly low: number;
  readonly high: number;
  /** The digits so far, as an integer, modulo the modulus of `Divisors`. */
  readonly remainder: bigint;
}

const beginning = { count: 0, places: -1, significant: 0, low: 0, remainder: 0n } as const;

interface Bound {
  /** All digits of the bound, without the point. */
  readonly text: string;
  /** The number of digits before the point. */
  readonly whole: number;
}

/** The digits of a bound. Infinity has more digits before the point than any number. */
function boundOf(value: number): Bound {
  if (value === Number.POSITIVE_INFINITY) return { text: "", whole: value };
  const [whole = "", fraction = ""] = plainDigits(value).split(".");
  return { text: whole + fraction, whole: whole.length };
}

function digitOf({ text }: Bound, at: number): number {
  return at < text.length ? text.charCodeAt(at) - ZERO : 0;
}

/**
 * Compares a state with one more digit, `value`, with a bound.
 * @param before the comparison of the state without this digit
 */
function compare(bound: Bound, { count, places }: State, before: number, value: number): number {
  if (places < 0 && count >= bound.whole) return 1;
  return before !== 0 ? before : Math.sign(value - digitOf(bound, count));
}

class Machine {
  readonly #expressions: Expressions;
  readonly #digits: number;
  readonly #low: Bound;
  readonly #high: Bound;
  readonly #divisors: Divisors | null;
  readonly #name: string;
  readonly #made = new Map<number, Expression>();

  constructor(expressions: Expressions, { low, high, digits, multiples }: DecimalRange) {
    this.#expressions = expressions;
    this.#digits = digits;
    this.#low = boundOf(low);
    this.#high = boundOf(high);
    this.#divisors = multiples === undefined ? null : new Divisors(multiples, digits, this.#low, this.#high);
    this.#name = this.#divisors === null ? "" : `decimal ${[low, high, digits, this.#divisors.name]}`;
  }

  /** All texts that continue the state with one more digit. */
  digits(state: State): Expression {
    const ways: Expression[] = [];
    for (let first = 0, last = 0; first <= 9; first = last + 1) {
      last = this.#lastAlike(state, first);
      const next = this.#mayWrite(state, first) ? this.#after(state, first) : null;
      if (next === null || !this.#isAlive(next)) continue;
      const digit = this.#expressions.byte(ZERO + first, ZERO + last);
      ways.push(this.#expressions.pair(digit, this.#rest(next)));
    }
    return this.#expressions.unionOf(ways);
  }

  /**
   * The last digit such that all digits from `first` to it lead to the same state. The digits of the bounds lead to states
   * of their own, and so does a 0 at the beginning.
   */
  #lastAlike({ count, significant, low, high }: State, first: number): number {
    if (this.#divisors !== null || (first === 0 && significant === 0)) return first;
    const before = (bound: number) => {
      if (first < bound) return bound - 1;
      return first === bound ? bound : 9;
    };
    return Math.min(
      low === 0 ? before(digitOf(this.#low, count)) : 9,
      high === 0 ? before(digitOf(this.#high, count)) : 9,
    );
  }

  #rest(state: State): Expression {
    if (this.#divisors === null) return this.#freeRest(state) ?? this.#restOf(state);
    return this.#expressions.rule(`${this.#name} ${keyOf(state)}`, () => this.#restOf(state));
  }

  #restOf(state: State): Expression {
    const { empty, nothing } = this.#expressions;
    const isFull = state.places >= 0 && state.places === this.#divisors?.places;
    if (isFull) return this.#tail(state);
    const isZero = state.places < 0 && state.significant === 0;
    return this.#expressions.union(
      this.#mayEnd(state) ? empty : nothing,
      isZero ? nothing : this.digits(state),
      state.places < 0 ? this.#point(state) : nothing,
    );
  }

  /**
   * The texts after the last digit that the divisor needs: zeros. If every spelling is wanted, any digits, but after a
   * number that is not allowed not only zeros.
   */
  #tail(state: State): Expression {
    if (this.#digits < Number.POSITIVE_INFINITY)
      return repeatedDigit(this.#expressions, 0, 0, 0, this.#left(state));
    const any = repeatedDigit(this.#expressions, 0, 9, 0, Number.POSITIVE_INFINITY);
    const zeros = repeatedDigit(this.#expressions, 0, 0, 0, Number.POSITIVE_INFINITY);
    return this.#mayEnd(state)
      ? any
      : this.#expressions.sequence(zeros, repeatedDigit(this.#expressions, 1, 9, 1, 1), any);
  }

  /**
   * All texts that continue the state, written as repetitions of digits, if no bound limits the next digit; otherwise null.
   */
  #freeRest(state: State): Expression | null {
    const { count, places, significant, low, high } = state;
    if (places < 0) {
      const isFree = low !== 0 && high !== 0 && significant > 0;
      return isFree ? restOfNumber(this.#expressions, count, this.#lengths(state), this.#made) : null;
    }
    if (low <= 0) return null;
    const min = places === 0 ? 1 : 0;
    const left = this.#left(state);
    if (high === 0 && this.#isPast(this.#high, count))
      return repeatedDigit(this.#expressions, 0, 0, min, left);
    if (high === 0) return null;
    if (significant > 0) return repeatedDigit(this.#expressions, 0, 9, min, left);
    return smallFraction(this.#expressions, min, left, this.#digits);
  }

  #after(state: State, value: number): State {
    return this.#settled({
      count: state.count + 1,
      places: state.places < 0 ? -1 : state.places + 1,
      significant: state.significant > 0 || value > 0 ? state.significant + 1 : 0,
      low: compare(this.#low, state, state.low, value),
      high: compare(this.#high, state, state.high, value),
      remainder: this.#divisors?.after(state, value) ?? 0n,
    });
  }

  /**
   * The state after the point: a number with fewer digits before the point than a bound is less than the bound, and one with
   * more digits is more.
   */
  #behindPoint(state: State): State {
    const low = Math.sign(state.count - this.#low.whole) || state.low;
    const high = Math.sign(state.count - this.#high.whole) || state.high;
    return this.#settled({ ...state, places: 0, low, high });
  }

  /** The state after all digits of the lower bound: no further digit can make the number less than the bound. */
  #settled(state: State): State {
    const isPast = state.places >= 0 && state.low === 0 && this.#isPast(this.#low, state.count);
    return isPast ? { ...state, low: 1 } : state;
  }

  #isPast(bound: Bound, count: number): boolean {
    return count >= bound.text.length;
  }

  #point(state: State): Expression {
    const hasPoint = this.#divisors === null ? this.#digits > 0 : this.#divisors.places > 0;
    const next = this.#behindPoint(state);
    if (!hasPoint || !this.#isAlive(next)) return this.#expressions.nothing;
    return pointBefore(this.#expressions, this.#rest(next));
  }

  #mayEnd(state: State): boolean {
    if (state.places === 0) return false;
    const { low, high } = state.places < 0 ? this.#behindPoint(state) : state;
    return low > 0 && high <= 0 && (this.#divisors?.mayEnd(state) ?? true);
  }

  /** Whether one more digit is allowed by the limits of digits. */
  #mayWrite(state: State, value: number): boolean {
    if (state.places < 0 || this.#divisors !== null || this.#left(state) > 0) return true;
    if (state.significant > 0) return false;
    // The most zeros are written: a further zero is allowed only if the upper bound begins like this and has further digits.
    return value > 0 || (state.high === 0 && !this.#isPast(this.#high, state.count));
  }

  /** How many more digits the fraction may have; while it has only zeros, how many more zeros. */
  #left({ significant, places }: State): number {
    if (significant > 0 || this.#digits === Number.POSITIVE_INFINITY) return this.#digits - significant;
    return Math.max(0, MOST_ZEROS - places);
  }

  /** How many digits a number that begins with this state may have before the point. */
  #lengths({ low, high }: State): DigitLengths {
    const min = low < 0 ? this.#low.whole + 1 : this.#low.whole;
    const isOpen = this.#high.whole === Number.POSITIVE_INFINITY;
    const most = isOpen ? Math.max(WHOLE_DIGITS, this.#low.whole) : this.#high.whole;
    return { min, max: high > 0 ? most - 1 : most, digits: this.#digits };
  }

  /**
   * False only if no number begins with this state. Without divisors, true does not promise that one does: `digits` then
   * finds no continuation.
   */
  #isAlive(state: State): boolean {
    if (this.#divisors !== null) return this.#divisors.isAlive(state);
    if (state.places >= 0) return state.low >= 0 && state.high <= 0;
    const { min, max } = this.#lengths(state);
    return Math.max(min, state.count) <= max;
  }
}

function keyOf({ count, places, significant, low, high, remainder }: State): string {
  return `${count} ${places} ${significant} ${low} ${high} ${remainder}`;
}

/** A number that must divide the decimal, and numbers that must not. */
class Divisors {
  readonly places: number;
  readonly name: string;
  /** Whether any digits may follow after as many decimal places as the divisor has. */
  readonly #isOpen: boolean;
  readonly #of: bigint;
  /** Multiples of the divisor that must not divide the number. */
  readonly #notOf: readonly bigint[];
  /**
   * The modulus of the remainder in a state, by the number n of digits that are left: the least common multiple of all
   * divisors, without its common factor with 10ⁿ.
   */
  readonly #moduli: readonly bigint[];
  readonly #low: string;
  readonly #high: string;
  /** 1 if digits of the lower bound were cut off, so that the number must be more than the rest; otherwise 0. */
  readonly #more: bigint;

  constructor({ of, notOf, places }: Multiples, digits: number, low: Bound, high: Bound) {
    const cut = ({ text, whole }: Bound) => {
      const length = Math.min(whole, text.length) + places;
      return text.padEnd(length, "0").slice(0, length);
    };
    this.places = places;
    this.#isOpen = digits === Number.POSITIVE_INFINITY;
    this.#of = scaled(of, places);
    this.#notOf = notOf.map((other) => scaled(leastCommonMultiple(of, other), places));
    const modulus = scaled(notOf.reduce(leastCommonMultiple, of), places);
    this.#moduli = Array.from(
      { length: places + 1 },
      (_, left) => modulus / greatestCommonDivisor(modulus, 10n ** BigInt(left)),
    );
    this.#low = cut(low);
    this.#high = cut(high);
    this.#more = low.text.length > this.#low.length ? 1n : 0n;
    this.name = [this.#of, places, this.#notOf].join();
  }

  /**
   * The remainder after one more digit. With the divisor 0.5, for example, a state before the point needs only the remainder
   * modulo 1.
   */
  after(state: State, value: number): bigint {
    const left = state.places < 0 ? this.places : this.#left(state) - 1;
    return (state.remainder * 10n + BigInt(value)) % (this.#moduli[left] as bigint);
  }

  /** Whether the digits so far, filled up with zeros, are an allowed multiple. */
  mayEnd(state: State): boolean {
    return this.#isMultiple(state.remainder * 10n ** BigInt(this.#left(state)));
  }

  #left({ places }: State): number {
    return this.places - Math.max(0, places);
  }

  #isMultiple(value: bigint): boolean {
    return value % this.#of === 0n && this.#notOf.every((other) => value % other !== 0n);
  }

  /** Whether some further digits lead to an allowed multiple between the bounds. */
  isAlive(state: State): boolean {
    if (this.#isOpen) return true;
    const left = this.#left(state);
    const isOpen = state.places < 0 && state.significant > 0;
    for (let more = isOpen ? this.#high.length - state.count : left; more >= left; more--) {
      if (this.#hasMultiple(state, more)) return true;
    }
    return false;
  }

  /**
   * Whether some text of `more` digits completes an allowed multiple. Among a few multiples in a row, at least one is not
   * excluded by the forbidden divisors.
   */
  #hasMultiple(state: State, more: number): boolean {
    const range = this.#suffixes(state, more);
    if (range === null || this.#notOf.includes(this.#of)) return false;
    const [least, most] = range;
    const before = state.remainder * 10n ** BigInt(more);
    const offset = (this.#of - ((before + least) % this.#of)) % this.#of;
    for (let value = least + offset; value <= most; value += this.#of) {
      if (this.#isMultiple(before + value)) return true;
    }
    return false;
  }

  /** The smallest and the largest integer that `more` further digits may form; null if there is none. */
  #suffixes({ count, low, high }: State, more: number): readonly [bigint, bigint] | null {
    const length = count + more;
    const isShort = length < this.#low.length || (length === this.#low.length && low < 0);
    const isLong = length > this.#high.length || (length === this.#high.length && high > 0);
    if (isShort || isLong) return null;
    const isLow = length === this.#low.length && low === 0;
    const isHigh = length === this.#high.length && high === 0;
    return [
      isLow ? BigInt(this.#low.slice(count)) + this.#more : 0n,
      isHigh ? BigInt(this.#high.slice(count)) : 10n ** BigInt(more) - 1n,
    ];
  }
}
