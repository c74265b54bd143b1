/** Whether an expression allows any text, and which is a shortest: searches over derivatives where the form does not say. */
import { firstByte } from "./byte-set.ts";
import { hasOtherText, searchedSteps, withoutWritten } from "./distinct.ts";
import type { Expressions } from "./expression.ts";
import type { Expression } from "./expression-node.ts";
import { getOrCreate } from "./get-or-create.ts";
import { Heap } from "./heap.ts";
import type { DerivativeStep } from "./partition.ts";

/** The methods of derivatives that this file calls. */
interface Steps {
  isNullable(expression: Expression): boolean;
  steps(expression: Expression): readonly DerivativeStep[];
  nested<Result>(compute: () => Result): Result;
}

interface Path {
  readonly at: Expression;
  readonly byte: number;
  /** The number of bytes on the way to this expression. */
  readonly depth: number;
  readonly before: Path | null;
}

export class Emptiness {
  readonly #expressions: Expressions;
  readonly #derivatives: Steps;
  readonly #known = new Map<Expression, boolean>();
  readonly #shortest = new Map<Expression, Uint8Array>();

  constructor(expressions: Expressions, derivatives: Steps) {
    this.#expressions = expressions;
    this.#derivatives = derivatives;
  }

  /** True when no text at all is allowed. Each rule is believed not to be empty. */
  isEmpty(expression: Expression): boolean {
    if (expression.certain) return false;
    const known = this.#known.get(expression);
    if (known !== undefined) return known;
    const answer = this.#derivatives.nested(() => this.#compute(expression));
    this.#known.set(expression, answer);
    return answer;
  }

  #compute(expression: Expression): boolean {
    switch (expression.kind) {
      case "nothing":
        return true;
      case "sequence": {
        let rest: Expression = expression;
        for (; rest.kind === "sequence"; rest = rest.tail) if (this.isEmpty(rest.head)) return true;
        return this.isEmpty(rest);
      }
      case "union":
        return expression.members.every((member) => this.isEmpty(member));
      case "repeat":
      case "budget":
        return this.isEmpty(expression.body);
      case "intersection":
        // A member that is empty by itself is found more easily than from the whole intersection, so the members are asked first.
        return (
          expression.members.some((member) => member.kind !== "complement" && this.isEmpty(member)) ||
          !this.#reachesText(expression)
        );
      case "complement":
        return !this.#reachesText(expression);
      case "distinct": {
        const { body, distinct } = expression;
        const { taken } = distinct;
        if (taken.kind === "nothing" || this.isEmpty(body)) return this.isEmpty(body);
        const isPossible = (next: Expression) => !this.isEmpty(next);
        if (hasOtherText(this.#expressions, this.#derivatives, isPossible, { body, taken })) return false;
        return this.isEmpty(this.#expressions.difference(body, taken));
      }
      default:
        return false;
    }
  }

  /**
   * Searches for a way to any expression that certainly allows a text. The search alternates between the expression that seems
   * nearest to an end and the newest expression. The first order is fast if lengths guide the search, the second if they do not,
   * and alternating takes at most twice the time of the faster one. Expressions that turn out to be empty or not empty are
   * remembered.
   */
  #reachesText(start: Expression): boolean {
    const seen = new Set<Expression>([start]);
    const looked = new Set<Expression>();
    const first: Path = { at: start, byte: 0, depth: 0, before: null };
    const newest = [first];
    const nearest = new Heap<Path>();
    nearest.push(first, start.least);
    for (let turn = 0; looked.size < seen.size; turn++) {
      const path = turn % 2 === 0 ? nearest.pop() : newest.pop();
      if (!path || looked.has(path.at)) continue;
      looked.add(path.at);
      if (this.#isFilled(path.at, start)) {
        for (let step: Path | null = path; step !== null; step = step.before) this.#known.set(step.at, false);
        return true;
      }
      for (const { next } of this.#derivatives.steps(path.at)) {
        if (seen.has(next) || this.#known.get(next) === true) continue;
        seen.add(next);
        const further: Path = { at: next, byte: 0, depth: 0, before: path };
        newest.push(further);
        nearest.push(further, next.least);
      }
    }
    for (const expression of seen) this.#known.set(expression, true);
    return false;
  }

  #isFilled(at: Expression, start: Expression): boolean {
    if (this.#derivatives.isNullable(at)) return true;
    if (at === start) return false;
    return at.certain || this.#known.get(at) === false;
  }

  /** A shortest text of the expression. @throws Error when there is none. */
  shortest(expression: Expression): Uint8Array {
    return getOrCreate(this.#shortest, expression, () => this.#searchShortest(expression));
  }

  /** The A* search (Hart, Nilsson, Raphael 1968): no step brings the least length down by more than the byte that it takes. */
  #searchShortest(start: Expression): Uint8Array {
    const reached = new Map<Expression, number>([[start, 0]]);
    const heap = new Heap<Path>();
    heap.push({ at: start, byte: 0, depth: 0, before: null }, start.least);
    for (let path = heap.pop(); path; path = heap.pop()) {
      if (this.#derivatives.isNullable(path.at)) return bytesOf(path);
      const depth = path.depth + 1;
      for (const { set, next } of searchedSteps(this.#expressions, this.#derivatives, path.at)) {
        const form = withoutWritten(this.#expressions, next);
        if ((reached.get(form) ?? Number.POSITIVE_INFINITY) <= depth) continue;
        reached.set(form, depth);
        heap.push({ at: next, byte: firstByte(set), depth, before: path }, depth + next.least);
      }
    }
    throw new Error("An empty language has no shortest text.");
  }

  /** The expression once a token has ended: budgets at its front count down, and at 0 only the shortest text is left. */
  tick(expression: Expression): Expression {
    if (!expression.timed) return expression;
    switch (expression.kind) {
      case "budget": {
        const { body, tokens } = expression;
        return tokens > 1
          ? this.#expressions.budget(this.tick(body), tokens - 1)
          : this.#expressions.literal(this.shortest(body));
      }
      case "sequence":
        return this.#expressions.pair(this.tick(expression.head), expression.tail);
      case "union":
        return this.#expressions.unionOf(expression.members.map((member) => this.tick(member)));
      default:
        return expression;
    }
  }
}

function bytesOf(path: Path): Uint8Array {
  const bytes: number[] = [];
  for (let step = path; step.before !== null; step = step.before) bytes.push(step.byte);
  return Uint8Array.from(bytes.reverse());
}
