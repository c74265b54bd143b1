/** A deterministic automaton over bytes, made state by state as it is walked. A state is a number; 0 is where nothing is allowed any more. */
import { hasByte } from "./byte-set.ts";
import { Derivatives } from "./derivative.ts";
import type { Expression, Expressions } from "./expression.ts";
import { ConstraintLimitError } from "./strategy-error.ts";

/** The state from which no text is allowed. */
export const DEAD = 0;

/** Most states of one automaton; each takes a kilobyte. */
const MOST_STATES = 200_000;

export class Automaton {
  readonly derivatives: Derivatives;
  readonly start: number;
  readonly #expressions: Expressions;
  readonly #states: Expression[] = [];
  readonly #numbers = new Map<Expression, number>();
  readonly #rows: (Int32Array | undefined)[] = [];

  constructor(expressions: Expressions, start: Expression) {
    this.#expressions = expressions;
    this.derivatives = new Derivatives(expressions);
    this.#number(expressions.nothing);
    this.start = this.stateOf(start);
  }

  /** States made so far. */
  get size(): number {
    return this.#states.length;
  }

  expressionOf(state: number): Expression {
    return this.#states[state] as Expression;
  }

  stateOf(expression: Expression): number {
    return this.derivatives.isEmpty(expression) ? DEAD : this.#number(expression);
  }

  /** True when the text so far is a whole one. */
  isAccepting(state: number): boolean {
    return this.derivatives.isNullable(this.expressionOf(state));
  }

  /** The next state for each byte. Not to be changed. */
  row(state: number): Int32Array {
    const known = this.#rows[state];
    if (known !== undefined) return known;
    const made = this.#makeRow(state);
    this.#rows[state] = made;
    return made;
  }

  step(state: number, byte: number): number {
    return this.row(state)[byte] as number;
  }

  /** The state once a token has ended: token budgets count down. */
  tick(state: number): number {
    const expression = this.expressionOf(state);
    const next = this.derivatives.tick(expression);
    return next === expression ? state : this.stateOf(next);
  }

  #makeRow(state: number): Int32Array {
    const row = new Int32Array(256);
    const steps = this.derivatives.steps(this.expressionOf(state));
    const targets = new Map<string, number>();
    for (let byte = 0; byte < 256; byte++) {
      const nexts = steps.flatMap(({ set, next }) => (hasByte(set, byte) ? [next] : []));
      if (nexts.length === 0) continue;
      const key = nexts.map(({ id }) => id).join();
      let target = targets.get(key);
      if (target === undefined) {
        target = this.stateOf(this.#expressions.union(...nexts));
        targets.set(key, target);
      }
      row[byte] = target;
    }
    return row;
  }

  #number(expression: Expression): number {
    const known = this.#numbers.get(expression);
    if (known !== undefined) return known;
    const state = this.#states.length;
    if (state >= MOST_STATES) {
      throw new ConstraintLimitError(`it takes more than ${MOST_STATES.toLocaleString("en")} states`);
    }
    this.#states.push(expression);
    this.#numbers.set(expression, state);
    return state;
  }
}
