/** A deterministic automaton over bytes, made state by state as it is walked. A state is a number; 0 is where nothing is allowed any more. */
import { Derivatives } from "./derivative.ts";
import { afterByte, generalOf } from "./distinct.ts";
import type { Expressions } from "./expression.ts";
import { type Expression, type LeafExpression, leafOf } from "./expression-node.ts";
import { partition, type Step } from "./partition.ts";
import { ConstraintLimitError } from "./strategy-error.ts";

/** The state from which no text is allowed. */
export const DEAD = 0;

/** Most rows that one piece of work may add; each takes a kilobyte. */
const MOST_NEW_ROWS = 30_000;

/** Above this much, what was made is let go before the next piece of work begins: it can be made again. */
const ROWS_KEPT = 20_000;
const EXPRESSIONS_KEPT = 400_000;

let stamps = 0;

/** What is known of a state, in bits of `#facts`. */
const ACCEPTING_ASKED = 1;
const ACCEPTING = 2;

/** The bytes in classes, 0 being those that are not allowed, and where each class leads. */
interface Classes {
  readonly classOf: ArrayLike<number>;
  readonly end: number;
  readonly targetOf: (byteClass: number) => number;
}

export class Automaton {
  readonly expressions: Expressions;
  readonly derivatives: Derivatives;
  readonly #start: Expression;
  /** Rises when all states are forgotten: numbers of states are of one epoch. */
  epoch = 0;
  /** Rows one after the other: the next state for byte b is `table[rowOf[state] + b]`. Replaced when it grows. */
  table = new Int32Array(64 * 256);
  /** Where the row of a state begins in `table`; -1 until it is made. Replaced when it grows. */
  rowOf = new Int32Array(64).fill(-1);
  readonly #classes = new Int32Array(256);
  readonly #largeRows = new Map<number, number>();
  #rows = 0;
  #rowsBefore = 0;
  #states: Expression[] = [];
  #facts = new Uint8Array(64);
  /** The only byte that is allowed; -1 where there are several; -2 where there is none. Known with the row. */
  #only = new Int16Array(64);
  /** Of this automaton in this epoch: states whose expression bears it have their number there. */
  #stamp = ++stamps;

  constructor(expressions: Expressions, start: Expression) {
    this.expressions = expressions;
    this.derivatives = new Derivatives(expressions);
    this.#start = start;
    this.#number(expressions.nothing);
  }

  get start(): number {
    return this.stateOf(this.#start);
  }

  /** States made so far. */
  get size(): number {
    return this.#states.length;
  }

  /** A new piece of work begins: its bounds start anew, and what is too much to keep is let go. */
  begin(): void {
    this.expressions.begin();
    if (this.#rows > ROWS_KEPT || this.size > 8 * ROWS_KEPT || this.expressions.size > EXPRESSIONS_KEPT) {
      this.#forget();
    }
    this.#rowsBefore = this.#rows;
  }

  #forget(): void {
    this.epoch++;
    this.expressions.forget();
    this.derivatives.forget();
    this.#stamp = ++stamps;
    this.#states = [];
    this.table = new Int32Array(64 * 256);
    this.rowOf = new Int32Array(64).fill(-1);
    this.#facts = new Uint8Array(64);
    this.#only = new Int16Array(64);
    this.#largeRows.clear();
    this.#rows = 0;
    this.#number(this.expressions.nothing);
  }

  expressionOf(state: number): Expression {
    return this.#states[state] as Expression;
  }

  stateOf(expression: Expression): number {
    if (expression.stamp === this.#stamp) return expression.number;
    return this.derivatives.isEmpty(expression) ? DEAD : this.#number(expression);
  }

  /** True when the text so far is a whole one. */
  isAccepting(state: number): boolean {
    const facts = this.#facts[state] as number;
    if ((facts & ACCEPTING_ASKED) !== 0) return (facts & ACCEPTING) !== 0;
    const answer = this.derivatives.isNullable(this.expressionOf(state));
    this.#facts[state] = facts | ACCEPTING_ASKED | (answer ? ACCEPTING : 0);
    return answer;
  }

  /** The only byte that may come next; -1 where there are several; -2 where there is none. */
  onlyByte(state: number): number {
    if (this.remembers(state)) return this.#onlyOf(state);
    this.findRow(state);
    return this.#only[state] as number;
  }

  /** True where the next bytes are remembered, so that each leads to a state of its own: see distinct.ts. */
  remembers(state: number): boolean {
    return this.expressionOf(state).remembers;
  }

  /** Nothing is remembered at its front: it allows all that `state` does, and more. */
  generalOf(state: number): number {
    return this.stateOf(generalOf(this.expressions, this.expressionOf(state)));
  }

  /** Without a row. */
  #onlyOf(state: number): number {
    const row = this.row(this.generalOf(state));
    let only = -2;
    for (let byte = 0; byte < 256 && only !== -1; byte++) {
      if (row[byte] !== DEAD && this.step(state, byte) !== DEAD) only = only === -2 ? byte : -1;
    }
    return only;
  }

  /** The next state for each byte. Not to be changed, nor kept. */
  row(state: number): Int32Array {
    const from = this.findRow(state);
    return this.table.subarray(from, from + 256);
  }

  /** Where the row of a state begins in `table`, which may be another one after the call. */
  findRow(state: number): number {
    const known = this.rowOf[state] as number;
    return known >= 0 ? known : this.remembers(state) ? this.#findLargeRow(state) : this.#makeRow(state);
  }

  /** With a state for each byte. Not in `rowOf`: a walk that goes from row to row stops where something is remembered. */
  #findLargeRow(state: number): number {
    let row = this.#largeRows.get(state);
    if (row === undefined) {
      row = this.#makeRow(state);
      this.rowOf[state] = -1;
      this.#largeRows.set(state, row);
    }
    return row;
  }

  step(state: number, byte: number): number {
    const known = this.rowOf[state] as number;
    if (known >= 0) return this.table[known + byte] as number;
    const expression = this.expressionOf(state);
    if (expression.remembers) {
      return this.stateOf(afterByte(this.expressions, this.derivatives, expression, byte));
    }
    const leaf = leafOf(expression);
    // A single step through a leaf needs no row.
    if (leaf === null) {
      const row = this.#makeRow(state);
      return this.table[row + byte] as number;
    }
    const { classOf, nexts } = leaf.maker.row(leaf.body, this.expressions);
    const byteClass = classOf[byte] as number;
    return byteClass === 0 ? DEAD : this.#leafTarget(expression, leaf, nexts[byteClass] as Expression | null);
  }

  #leafTarget(from: Expression, { maker }: LeafExpression, next: Expression | null): number {
    const { expressions } = this;
    const tail = from.kind === "sequence" ? from.tail : expressions.empty;
    return this.stateOf(next === null ? tail : expressions.pair(expressions.leaf(maker, next), tail));
  }

  /** The state after some bytes. */
  walk(state: number, bytes: Uint8Array, from = 0, to = bytes.length): number {
    let at = state;
    for (let index = from; index < to && at !== DEAD; index++) at = this.step(at, bytes[index] as number);
    return at;
  }

  /** The state once a token has ended: token budgets count down. */
  tick(state: number): number {
    const expression = this.expressionOf(state);
    return expression.timed ? this.stateOf(this.derivatives.tick(expression)) : state;
  }

  #makeRow(state: number): number {
    const expression = this.expressionOf(state);
    const leaf = leafOf(expression);
    if (leaf !== null) return this.#fillRow(state, this.#leafClasses(expression, leaf));
    const steps = this.derivatives.steps(expression);
    const [first] = steps;
    if (first && steps.length === 1) return this.#makeSimpleRow(state, first);
    const { classOf, end, nextsOf } = partition(steps, this.#classes);
    return this.#fillRow(state, { classOf, end, targetOf: (byteClass) => this.#target(nextsOf(byteClass)) });
  }

  #leafClasses(expression: Expression, leaf: LeafExpression): Classes {
    const { classOf, nexts } = leaf.maker.row(leaf.body, this.expressions);
    this.expressions.spend(nexts.length);
    const targetOf = (byteClass: number) =>
      this.#leafTarget(expression, leaf, nexts[byteClass] as Expression | null);
    return { classOf, end: nexts.length, targetOf };
  }

  #fillRow(state: number, { classOf, end, targetOf }: Classes): number {
    // All that may fail comes first: a bound that is met leaves no half-made row behind.
    const targets = new Array<number>(end).fill(-1);
    targets[0] = DEAD;
    let only = -2;
    for (let byte = 0; byte < 256; byte++) {
      const byteClass = classOf[byte] as number;
      if (byteClass === 0) continue;
      if (targets[byteClass] === -1) targets[byteClass] = targetOf(byteClass);
      if (targets[byteClass] !== DEAD) only = only === -2 ? byte : -1;
    }
    const row = this.#newRow();
    const { table } = this;
    // A new row is all DEAD.
    for (let byte = 0; byte < 256; byte++) {
      const byteClass = classOf[byte] as number;
      if (byteClass !== 0) table[row + byte] = targets[byteClass] as number;
    }
    this.#only[state] = only;
    this.rowOf[state] = row;
    return row;
  }

  /** One way to go on. */
  #makeSimpleRow(state: number, { set, next }: Step): number {
    const target = this.stateOf(next);
    const row = this.#newRow();
    let only = -2;
    for (let word = 0; word < 8 && target !== DEAD; word++) {
      for (let bits = set[word] as number; bits !== 0; bits &= bits - 1) {
        const byte = word * 32 + 31 - Math.clz32(bits & -bits);
        this.table[row + byte] = target;
        only = only === -2 ? byte : -1;
      }
    }
    this.#only[state] = only;
    this.rowOf[state] = row;
    return row;
  }

  #target(nexts: readonly Expression[]): number {
    const [first] = nexts;
    return this.stateOf(nexts.length === 1 && first ? first : this.expressions.unionOf(nexts));
  }

  #newRow(): number {
    if (this.#rows - this.#rowsBefore >= MOST_NEW_ROWS) {
      throw new ConstraintLimitError(
        `a single step of it takes more than ${MOST_NEW_ROWS.toLocaleString("en")} states`,
      );
    }
    const row = this.#rows++ * 256;
    if (row >= this.table.length) {
      const grown = new Int32Array(this.table.length * 2);
      grown.set(this.table);
      this.table = grown;
    }
    return row;
  }

  #number(expression: Expression): number {
    const state = this.#states.length;
    this.#states.push(expression);
    expression.number = state;
    expression.stamp = this.#stamp;
    if (state >= this.rowOf.length) this.#growStates();
    return state;
  }

  #growStates(): void {
    const length = this.rowOf.length * 2;
    const rowOf = new Int32Array(length).fill(-1);
    rowOf.set(this.rowOf);
    this.rowOf = rowOf;
    const facts = new Uint8Array(length);
    facts.set(this.#facts);
    this.#facts = facts;
    const only = new Int16Array(length);
    only.set(this.#only);
    this.#only = only;
  }
}
