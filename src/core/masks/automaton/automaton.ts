/**
 * A deterministic automaton over bytes, built state by state while texts are read. A state is a number; state 0 allows no further
 * byte.
 */
import { type Followed, followPaths, onlyByteOfPaths, type Span } from "./beginnings.ts";
import { onlyByteOf } from "./byte-set.ts";
import { Derivatives } from "./derivative.ts";
import { afterByte, followDistinct, forgetSeenTexts } from "./distinct.ts";
import type { Expressions } from "./expression.ts";
import { type Expression, headOf, type SequenceExpression } from "./expression-node.ts";
import { beginsWithTerminalOrListedBytes, expandFront, followTerminal } from "./front.ts";
import { partition } from "./partition.ts";
import { DEAD, NO_BYTE, SEVERAL_BYTES, TransitionRows } from "./rows.ts";
import { ONLY_BYTE_IN_ROW, ONLY_BYTE_NOT_COMPUTED, StateTable } from "./state-table.ts";

export { DEAD } from "./rows.ts";

/**
 * With more rows than this, expressions and states are forgotten before the next piece of work begins, and made again when
 * needed.
 */
const ROWS_KEPT = 20_000;
const EXPRESSIONS_KEPT = 400_000;

let stamps = 0;

/** Bits about a state in `#facts`. */
const ACCEPTING_ASKED = 1;
const ACCEPTING = 2;

export class Automaton {
  readonly expressions: Expressions;
  /** Replaced when all states are forgotten. */
  derivatives: Derivatives;
  readonly #start: Expression;
  /** Increases when all states are forgotten: state numbers are valid in one epoch. */
  epoch = 0;
  #rows = new TransitionRows();
  readonly #classes = new Int32Array(256);
  #states: Expression[] = [];
  #known = new StateTable();
  /** The stamp of this automaton in this epoch: an expression with this stamp has its state's number in `number`. */
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

  /** Rows one after the other: the next state for byte b is `table[rowOf[state] + b]`. Replaced when it grows. */
  get table(): Int32Array {
    return this.#rows.table;
  }

  /** Where the row of a state begins in `table`; -1 until it is made. */
  get rowOf(): readonly number[] {
    return this.#known.rowOf;
  }

  /** The number of states made so far. */
  get size(): number {
    return this.#states.length;
  }

  /** Begins a new piece of work: resets the bounds, and forgets states if there are too many. */
  begin(): void {
    this.expressions.begin();
    if (
      this.#rows.size > ROWS_KEPT ||
      this.size > 8 * ROWS_KEPT ||
      this.expressions.size > EXPRESSIONS_KEPT
    ) {
      this.#forget();
    }
    this.#rows.begin();
  }

  #forget(): void {
    this.epoch++;
    this.expressions.forget();
    this.derivatives = new Derivatives(this.expressions);
    this.#stamp = ++stamps;
    this.#states = [];
    this.#rows = new TransitionRows();
    this.#known = new StateTable();
    this.#number(this.expressions.nothing);
  }

  expressionOf(state: number): Expression {
    return this.#states[state] as Expression;
  }

  stateOf(expression: Expression): number {
    if (expression.stamp === this.#stamp) return expression.number;
    return this.derivatives.isEmpty(expression) ? DEAD : this.#number(expression);
  }

  /** Whether the text that led to the state is a whole text of the language. */
  isAccepting(state: number): boolean {
    const flags = this.#known.flags[state] as number;
    if ((flags & ACCEPTING_ASKED) !== 0) return (flags & ACCEPTING) !== 0;
    const answer = this.derivatives.isNullable(this.expressionOf(state));
    this.#known.flags[state] = flags | ACCEPTING_ASKED | (answer ? ACCEPTING : 0);
    return answer;
  }

  /** The only byte that may come next; -1 if several may come, -2 if none may. */
  onlyByte(state: number): number {
    if (this.remembers(state)) return this.#onlyOf(state);
    const seen = this.seenByte(state);
    if (seen >= 0) return seen;
    this.findRow(state);
    return this.#known.only[state] as number;
  }

  /** The only byte that may come next, if the expression or a row made before shows it; -1 otherwise. Makes no row. */
  seenByte(state: number): number {
    let only = this.#known.only[state] as number;
    if (only === ONLY_BYTE_NOT_COMPUTED) only = this.#lookAt(state);
    return only >= 0 ? only : -1;
  }

  /** The state after the only possible byte, which `seenByte` returned. */
  afterSeen(state: number): number {
    return this.#known.next[state] as number;
  }

  #lookAt(state: number): number {
    const front = this.frontOf(state);
    const expression = this.expressionOf(front);
    const head = headOf(expression);
    const { beginnings } = head;
    let only = ONLY_BYTE_IN_ROW;
    if (beginnings !== undefined) only = onlyByteOfPaths(beginnings);
    else if (head.kind === "bytes") only = onlyByteOf(head.set);
    if (only >= 0) {
      const tail = tailOf(expression, this.expressions);
      const followed = beginnings && followPaths(beginnings, [only]);
      const next = this.stateOf(followed ? this.expressions.pair(followed.rest, tail) : tail);
      if (next === DEAD) only = ONLY_BYTE_IN_ROW;
      this.#known.next[state] = next;
    } else only = ONLY_BYTE_IN_ROW;
    this.#known.only[state] = only;
    return only;
  }

  /**
   * An equivalent state whose expression does not begin with a rule, if there is one. States with the same front share its row
   * and its mask.
   */
  frontOf(state: number): number {
    const known = this.#known.front[state] as number;
    if (known !== 0) return known;
    const expression = this.expressionOf(state);
    const expanded = expandFront(this, expression);
    // Rules are assumed not to be empty. If the expansion is not `certain`, finding out may take long.
    const isShown = expanded !== expression && expanded.certain && !expanded.remembers;
    const front = isShown ? this.stateOf(expanded) : state;
    this.#known.front[state] = front;
    return front;
  }

  /**
   * Whether the expression is a rule and what follows it, and the rule allows no empty text. Steps and masks look at the rule alone, so
   * that its states are the same whatever follows.
   */
  beginsWithPart(expression: Expression): expression is SequenceExpression {
    if (expression.kind !== "sequence" || expression.remembers) return false;
    const { head } = expression;
    return head.kind === "rule" && head.beginnings === undefined && !this.derivatives.isNullable(head);
  }

  /** One state for each alternative of a state that begins with a string terminal or listed bytes, and one for all others. The state's mask is the union of their masks. */
  alternativesOf(state: number): number[] {
    const { expressions } = this;
    const expression = this.expressionOf(state);
    const head = headOf(expression);
    const members = head.kind === "union" ? head.members : [head];
    const others = expressions.unionOf(members.filter((member) => !beginsWithTerminalOrListedBytes(member)));
    const tail = tailOf(expression, expressions);
    return [...members.filter(beginsWithTerminalOrListedBytes), others]
      .map((each) => this.stateOf(expressions.pair(each, tail)))
      .filter((each) => each !== DEAD);
  }

  /** Whether the next bytes are remembered, so that each leads to a state of its own: see distinct.ts. */
  remembers(state: number): boolean {
    return this.expressionOf(state).remembers;
  }

  /** The general state, which remembers none of the earlier texts: it allows everything that `state` allows, and more. */
  generalOf(state: number): number {
    return this.stateOf(forgetSeenTexts(this.expressions, this.expressionOf(state)));
  }

  /** The only byte of a state that remembers, found without making the state's own row. */
  #onlyOf(state: number): number {
    const row = this.row(state);
    let only = NO_BYTE;
    for (let byte = 0; byte < 256 && only !== SEVERAL_BYTES; byte++) {
      if (row[byte] !== DEAD && this.step(state, byte) !== DEAD)
        only = only === NO_BYTE ? byte : SEVERAL_BYTES;
    }
    return only;
  }

  /**
   * The next state for each byte, of the general state if the state remembers: otherwise each byte would lead to a state of its own.
   * Callers must neither change nor store the array.
   */
  row(state: number): Int32Array {
    const from = this.findRow(this.generalOf(state));
    return this.table.subarray(from, from + 256);
  }

  /** The start of the row of a state that remembers nothing, in `table`. The call may replace `table`. */
  findRow(state: number): number {
    const known = this.rowOf[state] as number;
    if (known >= 0) return known;
    const front = this.frontOf(state);
    if ((this.rowOf[front] as number) < 0) {
      this.#known.rowOf[front] = this.#makeRow(this.expressionOf(front));
      this.#noteOnly(front, this.#rows.only);
    }
    const row = this.rowOf[front] as number;
    this.#known.rowOf[state] = row;
    this.#noteOnly(state, this.#known.only[front] as number);
    return row;
  }

  #noteOnly(state: number, only: number): void {
    this.#known.only[state] = only;
    if (only >= 0) this.#known.next[state] = this.table[(this.rowOf[state] as number) + only] as number;
  }

  step(state: number, byte: number): number {
    const known = this.rowOf[state] as number;
    if (known >= 0) return this.table[known + byte] as number;
    if (this.#canLeap(state)) return this.#leap(this.frontOf(state), [byte]);
    const expression = this.expressionOf(state);
    if (this.beginsWithPart(expression)) {
      const next = this.step(this.stateOf(expression.head), byte);
      return this.stateOf(this.expressions.pair(this.expressionOf(next), expression.tail));
    }
    if (expression.remembers)
      return this.stateOf(afterByte(this.expressions, this.derivatives, expression, byte));
    const only = this.seenByte(state);
    if (only >= 0) return byte === only ? this.afterSeen(state) : DEAD;
    const row = this.findRow(state);
    return this.table[row + byte] as number;
  }

  /** The state after some bytes. */
  walk(state: number, bytes: ArrayLike<number>, from = 0, to: number = bytes.length): number {
    let at = state;
    for (let index = from; index < to && at !== DEAD; index++) {
      if (this.#canLeap(at)) return this.#leap(this.frontOf(at), bytes, index, to);
      at = this.step(at, bytes[index] as number);
    }
    return at;
  }

  #canLeap(state: number): boolean {
    if ((this.rowOf[state] as number) >= 0 || this.beginsWithPart(this.expressionOf(state))) return false;
    return beginsWithTerminalOrListedBytes(this.expressionOf(this.frontOf(state)));
  }

  /** The state after some bytes. No states are made for the places inside a string terminal or listed bytes. */
  #leap(state: number, bytes: ArrayLike<number>, from = 0, to: number = bytes.length): number {
    const ends: Expression[] = [];
    this.#addEnds(this.expressionOf(state), { bytes, from, to }, ends);
    return ends.length === 0 ? DEAD : this.#target(ends);
  }

  /** The rest behind the first bytes: as many as are listed or inside the terminal, otherwise one. Null if they are not allowed. */
  #follow(expression: Expression, span: Span): Followed | null {
    const { expressions } = this;
    const head = headOf(expression);
    if (!beginsWithTerminalOrListedBytes(head)) {
      const rest = afterByte(expressions, this.derivatives, expression, span.bytes[span.from] as number);
      return { rest, taken: 1 };
    }
    const followed = this.#followText(head, span);
    if (followed === null || expression.kind !== "sequence") return followed;
    const { rest, taken } = followed;
    return { rest: rest === head ? expression : expressions.pair(rest, expression.tail), taken };
  }

  #followText(head: Expression, span: Span): Followed | null {
    const { bytes, from, to } = span;
    if (head.beginnings) return followPaths(head.beginnings, bytes, from, to);
    if (head.kind === "stringTerminal") return followTerminal(this.expressions, head, span);
    return head.kind === "distinct" ? followDistinct(this.expressions, this.derivatives, head, span) : null;
  }

  /** Adds to `ends` what may be left of the expression after the bytes. */
  #addEnds(expression: Expression, text: Span, ends: Expression[]): void {
    const { expressions } = this;
    const { bytes, from, to } = text;
    const head = headOf(expression);
    if (head.kind === "union" && beginsWithTerminalOrListedBytes(head)) {
      const tail = tailOf(expression, expressions);
      for (const member of head.members) this.#addEnds(expressions.pair(member, tail), text, ends);
      return;
    }
    const followed = this.#follow(expression, text);
    if (followed === null || followed.rest.kind === "nothing") return;
    const next = from + followed.taken;
    if (next === to) ends.push(followed.rest);
    else {
      const end = this.walk(this.stateOf(followed.rest), bytes, next, to);
      if (end !== DEAD) ends.push(this.expressionOf(end));
    }
  }

  /** The state after the end of a token: token budgets count down. */
  tick(state: number): number {
    const expression = this.expressionOf(state);
    return expression.timed ? this.stateOf(this.derivatives.tick(expression)) : state;
  }

  #makeRow(expression: Expression): number {
    const classes = partition(this.derivatives.steps(expression), this.#classes);
    return this.#rows.fromClasses(classes, (nexts) => this.#target(nexts));
  }

  #target(nexts: readonly Expression[]): number {
    const [first] = nexts;
    return this.stateOf(nexts.length === 1 && first ? first : this.expressions.unionOf(nexts));
  }

  #number(expression: Expression): number {
    const state = this.#states.length;
    this.#states.push(expression);
    expression.number = state;
    expression.stamp = this.#stamp;
    this.#known.add();
    return state;
  }
}

export function tailOf(expression: Expression, { empty }: Expressions): Expression {
  return expression.kind === "sequence" ? expression.tail : empty;
}
