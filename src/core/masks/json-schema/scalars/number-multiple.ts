/** Multiples of a decimal between two bounds: a machine over digits that keeps the remainder, made state by state. */
import type { Expression, Expressions } from "../../automaton/expression.ts";
import { type Decimal, EXACT_DIGITS, leastCommonMultiple, scaled } from "./decimal.ts";
import { anyDigits, digit, MOST_SIGNIFICANT_DIGITS } from "./number-range.ts";

/** Bounds as integers at the scale of the divisor: 1.25 by 0.01 is 125. Not negative, both included. */
export interface ScaledBounds {
  readonly low: bigint;
  readonly high: bigint;
}

/**
 * The spellings without sign and exponent of the multiples of `divisor` between the bounds that are multiples of none of `others`;
 * nothing if there are none. If the divisor is an integer they are written without a point.
 * @param isOpen the number may have more decimal places than the divisor (1.2345 by 0.01), up to 15 digits in all
 */
export function multiples(
  expressions: Expressions,
  divisor: Decimal,
  { low, high }: ScaledBounds,
  others: readonly Decimal[],
  isOpen: boolean,
): Expression {
  const { scale } = divisor;
  const unit = 10n ** BigInt(scale);
  const text = (bound: bigint) => (scale === 0 ? "" : bound.toString().padStart(scale, "0"));
  const machineOf = (least: string, most: string) =>
    new Machine(expressions, divisor, others, least, most, isOpen);
  const zero: Expression[] = [];
  if (low < unit) {
    const machine = machineOf(text(low), text(high < unit ? high : unit - 1n));
    const state: State = { phase: "zero", count: 0, remainder: 0n, low: 0, high: 0, left: scale };
    if (machine.isAlive(state))
      zero.push(expressions.sequence(digit(expressions, 0, 0), machine.rest(state)));
  }
  const whole = machineOf(low.toString(), high.toString());
  return expressions.union(...zero, whole.digits({ ...beginning, left: scale }, 1));
}

interface State {
  /** In the whole part; after a whole part that is 0; after the point. */
  readonly phase: "whole" | "zero" | "fraction";
  /** Digits read, those of a whole part that is 0 apart. */
  readonly count: number;
  /** The digits so far, as an integer, by the divisor's digits. */
  readonly remainder: bigint;
  /** The digits so far, compared with as many digits of the bound: -1 less, 0 equal, 1 more. */
  readonly low: number;
  readonly high: number;
  /** Digits of the fraction that are still to come; digits that are not written are zeros. */
  readonly left: number;
}

const beginning = { phase: "whole", count: 0, remainder: 0n, low: 0, high: 0 } as const;

class Machine {
  readonly #expressions: Expressions;
  readonly #divisor: bigint;
  /** Multiples of the divisor, at its scale, of which no number is a multiple. */
  readonly #others: readonly bigint[];
  /** The least common multiple of all divisors: a state keeps the remainder of its digits by this number. */
  readonly #modulus: bigint;
  readonly #scale: number;
  readonly #low: string;
  readonly #high: string;
  /** Whether the number may have more decimal places than the divisor. */
  readonly #isOpen: boolean;
  readonly #name: string;

  constructor(
    expressions: Expressions,
    divisor: Decimal,
    others: readonly Decimal[],
    low: string,
    high: string,
    isOpen: boolean,
  ) {
    const { digits, scale } = divisor;
    this.#expressions = expressions;
    this.#divisor = digits;
    this.#scale = scale;
    this.#others = others.map((other) => scaled(leastCommonMultiple(divisor, other), scale));
    this.#modulus = scaled(others.reduce(leastCommonMultiple, divisor), scale);
    this.#low = low;
    this.#high = high;
    this.#isOpen = isOpen;
    this.#name = `multiple ${[digits, scale, this.#others, low, high, isOpen]}`;
  }

  /** The texts that may follow a state that is alive. */
  rest(state: State): Expression {
    return this.#expressions.rule(`${this.#name} ${this.#key(state)}`, () =>
      this.#expressions.union(
        this.#mayEnd(state) ? this.#expressions.empty : this.#expressions.nothing,
        state.phase === "whole" ? this.digits(state, 0) : this.#expressions.nothing,
        state.phase === "fraction" ? this.#fraction(state) : this.#point(state),
      ),
    );
  }

  /** One more digit, from `least` on, and what may follow it. */
  digits(state: State, least: number): Expression {
    const ways: Expression[] = [];
    for (let value = least; value <= 9; value++) {
      const next = this.#after(state, value);
      if (!this.isAlive(next)) continue;
      ways.push(this.#expressions.sequence(digit(this.#expressions, value, value), this.rest(next)));
    }
    return this.#expressions.union(...ways);
  }

  #after(state: State, value: number): State {
    const compare = (bound: string, so: number) => {
      if (so !== 0 || state.count >= bound.length) return so;
      return Math.sign(value - Number(bound[state.count]));
    };
    return {
      phase: state.phase,
      count: state.count + 1,
      remainder: (state.remainder * 10n + BigInt(value)) % this.#modulus,
      low: compare(this.#low, state.low),
      high: compare(this.#high, state.high),
      left: state.phase === "fraction" ? state.left - 1 : state.left,
    };
  }

  #point(state: State): Expression {
    const { nothing } = this.#expressions;
    const point = this.#expressions.literal(".");
    if (this.#scale === 0) {
      return this.#isOpen ? this.#expressions.sequence(point, this.#tail(state, 1)) : nothing;
    }
    const next: State = { ...state, phase: "fraction" };
    return this.isAlive(next) ? this.#expressions.sequence(point, this.rest(next)) : nothing;
  }

  #fraction(state: State): Expression {
    return state.left === 0 ? this.#tail(state, 0) : this.digits(state, 0);
  }

  /**
   * Digits after the last one that the divisor needs: zeros; in an open machine any digits, but not only zeros if the number may
   * not end here.
   */
  #tail(state: State, least: number): Expression {
    const most = (this.#isOpen ? EXACT_DIGITS : MOST_SIGNIFICANT_DIGITS) - state.count;
    const zeros = this.#expressions.repeat(digit(this.#expressions, 0, 0), least, most);
    if (!this.#isOpen) return zeros;
    const all = anyDigits(this.#expressions, least, most);
    return this.#isWanted(state) ? all : this.#expressions.difference(all, zeros);
  }

  #mayEnd(state: State): boolean {
    if (state.phase === "fraction" && state.left === this.#scale) return false;
    return this.#isWanted(state);
  }

  /** Whether the digits so far, and zeros for those to come, are a number of the machine. */
  #isWanted(state: State): boolean {
    const range = this.#suffixes(state, state.left);
    if (range === null || range[0] > 0n) return false;
    return this.#isMultiple(state.remainder * 10n ** BigInt(state.left));
  }

  #isMultiple(value: bigint): boolean {
    return value % this.#divisor === 0n && this.#others.every((other) => value % other !== 0n);
  }

  /** True when some digits lead to a multiple between the bounds. */
  isAlive(state: State): boolean {
    if (this.#isOpen && state.count + state.left < EXACT_DIGITS) return true;
    let more = state.phase === "whole" ? this.#high.length - state.count : state.left;
    for (; more >= state.left; more--) {
      if (this.#hasMultiple(state, more)) return true;
    }
    return false;
  }

  /** True when one of the texts of `more` digits completes a multiple. Among a few multiples in a row the others leave one. */
  #hasMultiple(state: State, more: number): boolean {
    const range = this.#suffixes(state, more);
    if (range === null || this.#others.includes(this.#divisor)) return false;
    const [least, most] = range;
    const before = state.remainder * 10n ** BigInt(more);
    const offset = (this.#divisor - ((before + least) % this.#divisor)) % this.#divisor;
    for (let value = least + offset; value <= most; value += this.#divisor) {
      if (this.#isMultiple(before + value)) return true;
    }
    return false;
  }

  /** The least and the most that `more` further digits may be, as an integer; null when there is no way. */
  #suffixes({ count, low, high }: State, more: number): readonly [bigint, bigint] | null {
    const length = count + more;
    let least = 0n;
    let most = 10n ** BigInt(more) - 1n;
    if (length < this.#low.length) return null;
    if (length === this.#low.length) {
      if (low < 0) return null;
      if (low === 0) least = BigInt(this.#low.slice(count) || "0");
    }
    if (length < this.#high.length) return [least, most];
    if (length > this.#high.length || high > 0) return null;
    if (high === 0) most = BigInt(this.#high.slice(count) || "0");
    return [least, most];
  }

  /** Names what may follow: two states with one key allow the same. */
  #key({ phase, count, remainder, low, high, left }: State): string {
    const isHigher = count + left > this.#low.length;
    const lower = isHigher ? "" : `${count}:${low}`;
    return `${phase} ${remainder} ${left} ${lower} ${count}:${high}`;
  }
}
