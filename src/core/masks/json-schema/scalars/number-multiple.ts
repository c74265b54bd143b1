/** Multiples of a decimal between two bounds: a machine over digits that keeps the remainder, made state by state. */
import type { Expression, Expressions } from "../../automaton/expression.ts";
import type { Decimal } from "./decimal.ts";
import { digit } from "./number-range.ts";

/** Bounds as integers at the scale of the divisor: 1.25 by 0.01 is 125. Not negative, both included; null: no end. */
export interface ScaledBounds {
  readonly low: bigint;
  readonly high: bigint | null;
}

/**
 * Every spelling without sign and exponent of the multiples of `divisor` between the bounds; nothing when there are none. Where
 * the divisor is an integer they are written without a point, unless `zeroFraction` allows a point with zeros after it.
 */
export function multiples(
  expressions: Expressions,
  divisor: Decimal,
  bounds: ScaledBounds,
  zeroFraction = false,
): Expression {
  const { scale } = divisor;
  const unit = 10n ** BigInt(scale);
  const text = (bound: bigint) => (scale === 0 ? "" : bound.toString().padStart(scale, "0"));
  const zero: Expression[] = [];
  if (bounds.low < unit) {
    const high = bounds.high === null || bounds.high >= unit ? null : text(bounds.high);
    const machine = new Machine(expressions, divisor, text(bounds.low), high, zeroFraction);
    const state: State = { phase: "zero", count: 0, remainder: 0n, low: 0, high: 0, left: scale };
    if (machine.isAlive(state))
      zero.push(expressions.sequence(digit(expressions, 0, 0), machine.rest(state)));
  }
  const whole = new Machine(
    expressions,
    divisor,
    bounds.low.toString(),
    bounds.high?.toString() ?? null,
    zeroFraction,
  );
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
  /** Digits of the fraction that are to come: where none are written they are zeros. */
  readonly left: number;
}

const beginning = { phase: "whole", count: 0, remainder: 0n, low: 0, high: 0 } as const;

class Machine {
  readonly #expressions: Expressions;
  readonly #divisor: bigint;
  readonly #scale: number;
  readonly #low: string;
  readonly #high: string | null;
  readonly #zeroFraction: boolean;
  readonly #name: string;

  constructor(
    expressions: Expressions,
    divisor: Decimal,
    low: string,
    high: string | null,
    zeroFraction: boolean,
  ) {
    this.#expressions = expressions;
    this.#divisor = divisor.digits;
    this.#scale = divisor.scale;
    this.#low = low;
    this.#high = high;
    this.#zeroFraction = zeroFraction;
    this.#name = `multiple ${divisor.digits} ${divisor.scale} ${low} ${high} ${zeroFraction}`;
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
    const compare = (bound: string | null, so: number) => {
      if (so !== 0 || bound === null || state.count >= bound.length) return so;
      return Math.sign(value - Number(bound[state.count]));
    };
    return {
      phase: state.phase,
      count: state.count + 1,
      remainder: (state.remainder * 10n + BigInt(value)) % this.#divisor,
      low: compare(this.#low, state.low),
      high: compare(this.#high, state.high),
      left: state.phase === "fraction" ? state.left - 1 : state.left,
    };
  }

  #point(state: State): Expression {
    const { nothing } = this.#expressions;
    const point = this.#expressions.literal(".");
    if (this.#scale === 0) {
      if (!this.#zeroFraction || !this.#mayEnd(state)) return nothing;
      return this.#expressions.sequence(point, this.#zeros(1));
    }
    const next: State = { ...state, phase: "fraction" };
    return this.isAlive(next) ? this.#expressions.sequence(point, this.rest(next)) : nothing;
  }

  #fraction(state: State): Expression {
    return state.left === 0 ? this.#zeros(0) : this.digits(state, 0);
  }

  #zeros(min: number): Expression {
    return this.#expressions.repeat(digit(this.#expressions, 0, 0), min, Number.POSITIVE_INFINITY);
  }

  #mayEnd(state: State): boolean {
    if (state.phase === "fraction" && state.left === this.#scale) return false;
    const range = this.#suffixes(state, state.left);
    if (range === null || range[0] > 0n) return false;
    return (state.remainder * 10n ** BigInt(state.left)) % this.#divisor === 0n;
  }

  /** True when some digits lead to a multiple between the bounds. */
  isAlive(state: State): boolean {
    if (state.phase !== "whole") return this.#hasMultiple(state, state.left);
    const most =
      this.#high === null
        ? Math.max(0, this.#low.length - state.count) + this.#divisor.toString().length + 1
        : this.#high.length - state.count - state.left;
    for (let more = 0; more <= most; more++) if (this.#hasMultiple(state, more + state.left)) return true;
    return false;
  }

  /** True when one of the texts of `more` digits completes a multiple. */
  #hasMultiple(state: State, more: number): boolean {
    const range = this.#suffixes(state, more);
    if (range === null) return false;
    const [least, most] = range;
    const asked = -state.remainder * 10n ** BigInt(more) - least;
    const offset = ((asked % this.#divisor) + this.#divisor) % this.#divisor;
    return least + offset <= most;
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
    if (this.#high === null || length < this.#high.length) return [least, most];
    if (length > this.#high.length || high > 0) return null;
    if (high === 0) most = BigInt(this.#high.slice(count) || "0");
    return [least, most];
  }

  /** Names what may follow: two states with one key allow the same. */
  #key({ phase, count, remainder, low, high, left }: State): string {
    const isHigher = count + left > this.#low.length;
    const lower = isHigher ? "" : `${count}:${low}`;
    const upper = this.#high === null ? "" : `${count}:${high}`;
    return `${phase} ${remainder} ${left} ${lower} ${upper}`;
  }
}
