/**
 * Decimals without sign and exponent, digit by digit: ranges, multiples and integers. A state compares the text so far with the
 * beginnings of both bounds (-1 less, 0 equal, 1 more) and knows the remainder by the divisor.
 * Example: `{ "minimum": 0.3, "maximum": 12, "multipleOf": 0.25 }`, and a model that writes `1.75`. In hundredths the divisor is 25:
 *
 *     text    low, high  remainder  what may follow
 *             0, 0       0          0 to 9
 *     1       1, 0       1          the end (100 hundredths); 0, 1 or 2 (1 equals the beginning of 12); a point
 *     1.      1, -1      1          0, 2, 5, 7: a digit that leads to a multiple. Shorter than 12, the number is less
 *     1.7     1, -1      17         5
 *     1.75    1, -1      0          the end, or up to 14 zeros: 17 significant digits in all
 *
 * After `0` the low bound still limits: 0.2 is not offered. Without `multipleOf`, the texts after a state that differs from both
 * bounds are written as repetitions of digits, instead of state by state.
 */
import type { Expression, Expressions } from "../../automaton/expression.ts";
import { commonDivisor, type Decimal, leastCommonMultiple, plainDigits, scaled } from "./decimal.ts";
import {
  type Lengths,
  MOST_ZEROS,
  moreDigits,
  point,
  run,
  smallFraction,
  WHOLE_DIGITS,
  ZERO,
} from "./digits.ts";

export interface DecimalRange {
  /** Both included and not negative; `high` may be Infinity if there are no multiples. */
  readonly low: number;
  readonly high: number;
  /**
   * Most significant digits of a number with a fraction; 0: integers without a point; Infinity: every spelling, also of numbers
   * that are no multiples because of digits behind those of the divisor.
   */
  readonly digits: number;
  /** All numbers if absent. */
  readonly multiples?: Multiples;
}

export interface Multiples {
  readonly of: Decimal;
  readonly notOf: readonly Decimal[];
  /** Digits after the point, at least as many as the divisor has; then zeros. 0: no point. */
  readonly places: number;
}

/** The spellings of the numbers of the range. */
export function decimals(expressions: Expressions, range: DecimalRange): Expression {
  const high = range.high === Number.POSITIVE_INFINITY ? -1 : 0;
  return new Machine(expressions, range).digits({ ...beginning, high });
}

interface State {
  /** Digits so far. */
  readonly count: number;
  /** Digits after the point; -1 before the point. */
  readonly places: number;
  /** Digits from the first that is not 0 on. */
  readonly significant: number;
  /** The digits so far, compared with as many digits of the bound; after the point, the number compared with the bound. */
  readonly low: number;
  readonly high: number;
  /** The digits so far, as an integer, by the modulus. */
  readonly remainder: bigint;
}

const beginning = { count: 0, places: -1, significant: 0, low: 0, remainder: 0n } as const;

interface Bound {
  /** All digits, without the point. */
  readonly text: string;
  /** Digits before the point. */
  readonly whole: number;
}

/** Infinity has more digits before the point than any number. */
function boundOf(value: number): Bound {
  if (value === Number.POSITIVE_INFINITY) return { text: "", whole: value };
  const [whole = "", fraction = ""] = plainDigits(value).split(".");
  return { text: whole + fraction, whole: whole.length };
}

function digitOf({ text }: Bound, at: number): number {
  return at < text.length ? text.charCodeAt(at) - ZERO : 0;
}

/** A state with one more digit, compared with a bound. @param before the state itself, compared with the bound */
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

  /** One more digit, and what may follow it. */
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

  /** The last of the digits from `first` on that lead to the same state: the bounds' digits stand alone, and a 0 at the beginning. */
  #lastAlike({ count, significant, low, high }: State, first: number): number {
    if (this.#divisors !== null || (first === 0 && significant === 0)) return first;
    const before = (bound: number) => (first < bound ? bound - 1 : first === bound ? bound : 9);
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

  /** After the last digit that the divisor needs: zeros. If every spelling is wanted, any digits, but not only zeros after a wrong number. */
  #tail(state: State): Expression {
    if (this.#digits < Number.POSITIVE_INFINITY) return run(this.#expressions, 0, 0, 0, this.#left(state));
    const any = run(this.#expressions, 0, 9, 0, Number.POSITIVE_INFINITY);
    const zeros = run(this.#expressions, 0, 0, 0, Number.POSITIVE_INFINITY);
    return this.#mayEnd(state)
      ? any
      : this.#expressions.sequence(zeros, run(this.#expressions, 1, 9, 1, 1), any);
  }

  /** The rest as repetitions of digits, if no bound limits the next digit; null otherwise. */
  #freeRest(state: State): Expression | null {
    const { count, places, significant, low, high } = state;
    if (places < 0) {
      const isFree = low !== 0 && high !== 0 && significant > 0;
      return isFree ? moreDigits(this.#expressions, count, this.#lengths(state), this.#made) : null;
    }
    if (low <= 0) return null;
    const min = places === 0 ? 1 : 0;
    const left = this.#left(state);
    if (high === 0 && this.#isPast(this.#high, count)) return run(this.#expressions, 0, 0, min, left);
    if (high === 0) return null;
    if (significant > 0) return run(this.#expressions, 0, 9, min, left);
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

  /** The state behind the point: a number with fewer digits before it is less, one with more is more. */
  #behindPoint(state: State): State {
    const low = Math.sign(state.count - this.#low.whole) || state.low;
    const high = Math.sign(state.count - this.#high.whole) || state.high;
    return this.#settled({ ...state, places: 0, low, high });
  }

  /** Behind all digits of the lower bound, no digit makes the number less. */
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
    return point(this.#expressions, this.#rest(next));
  }

  #mayEnd(state: State): boolean {
    if (state.places === 0) return false;
    const { low, high } = state.places < 0 ? this.#behindPoint(state) : state;
    return low > 0 && high <= 0 && (this.#divisors?.mayEnd(state) ?? true);
  }

  /** Whether the digit is not one too many. */
  #mayWrite(state: State, value: number): boolean {
    if (state.places < 0 || this.#divisors !== null || this.#left(state) > 0) return true;
    if (state.significant > 0) return false;
    return value > 0 || (state.high === 0 && !this.#isPast(this.#high, state.count));
  }

  /** How many digits may follow a digit of the fraction: zeros, if no digit is significant yet. */
  #left({ significant, places }: State): number {
    if (significant > 0 || this.#digits === Number.POSITIVE_INFINITY) return this.#digits - significant;
    return Math.max(0, MOST_ZEROS - places);
  }

  /** How many digits may stand before the point of a number that begins like this. */
  #lengths({ low, high }: State): Lengths {
    const min = low < 0 ? this.#low.whole + 1 : this.#low.whole;
    const isOpen = this.#high.whole === Number.POSITIVE_INFINITY;
    const most = isOpen ? Math.max(WHOLE_DIGITS, this.#low.whole) : this.#high.whole;
    return { min, max: high > 0 ? most - 1 : most, digits: this.#digits };
  }

  /** False only if no number begins like this. Without divisors true is no promise: `digits` then finds nothing that follows. */
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

/** A divisor, and others that must not divide. */
class Divisors {
  readonly places: number;
  readonly name: string;
  /** Whether any digits may follow those of the divisor. */
  readonly #isOpen: boolean;
  readonly #of: bigint;
  /** Multiples of the divisor of which no number is a multiple. */
  readonly #notOf: readonly bigint[];
  /** The numbers of which a state keeps the remainder, by the digits that are left: their least common multiple counts. */
  readonly #moduli: readonly bigint[];
  readonly #low: string;
  readonly #high: string;
  /** 1 if digits of the low bound are cut off: the number has to be more. */
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
      (_, left) => modulus / commonDivisor(modulus, 10n ** BigInt(left)),
    );
    this.#low = cut(low);
    this.#high = cut(high);
    this.#more = low.text.length > this.#low.length ? 1n : 0n;
    this.name = [this.#of, places, this.#notOf].join();
  }

  /** The remainder after one more digit: of 12.5 before its point only that by 1 counts, if the divisor is 0.5. */
  after(state: State, value: number): bigint {
    const left = state.places < 0 ? this.places : this.#left(state) - 1;
    return (state.remainder * 10n + BigInt(value)) % (this.#moduli[left] as bigint);
  }

  /** Whether the digits so far, and zeros for those to come, are a multiple. */
  mayEnd(state: State): boolean {
    return this.#isMultiple(state.remainder * 10n ** BigInt(this.#left(state)));
  }

  #left({ places }: State): number {
    return this.places - Math.max(0, places);
  }

  #isMultiple(value: bigint): boolean {
    return value % this.#of === 0n && this.#notOf.every((other) => value % other !== 0n);
  }

  /** True when some digits lead to a multiple between the bounds. */
  isAlive(state: State): boolean {
    if (this.#isOpen) return true;
    const left = this.#left(state);
    const isOpen = state.places < 0 && state.significant > 0;
    for (let more = isOpen ? this.#high.length - state.count : left; more >= left; more--) {
      if (this.#hasMultiple(state, more)) return true;
    }
    return false;
  }

  /** True when one of the texts of `more` digits completes a multiple. Among a few multiples in a row the others leave one. */
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

  /** The least and the most that `more` further digits may be, as an integer; null when there is no way. */
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
