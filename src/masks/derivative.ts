/** What may come first in an expression, and what is left after it: partial derivatives (Antimirov 1996), computed once per expression. */
import { type ByteSet, hasByte, intersect, isEmptySet, setKey, unite } from "./byte-set.ts";
import type { Expression, Expressions } from "./expression.ts";

/** After one byte of `set`, `next` is allowed. Sets of one expression may overlap. */
export interface Step {
  readonly set: ByteSet;
  readonly next: Expression;
}

export class Derivatives {
  readonly #expressions: Expressions;
  readonly #steps = new Map<Expression, readonly Step[]>();
  readonly #nullable = new Map<Expression, boolean>();
  readonly #isEmpty = new Map<Expression, boolean>();
  readonly #expanding = new Set<Expression>();
  readonly #shortest = new Map<Expression, Uint8Array>();

  constructor(expressions: Expressions) {
    this.#expressions = expressions;
  }

  /** True when the empty text is allowed. */
  isNullable(expression: Expression): boolean {
    const known = this.#nullable.get(expression);
    if (known !== undefined) return known;
    const answer = this.#computeNullable(expression);
    this.#nullable.set(expression, answer);
    return answer;
  }

  #computeNullable(expression: Expression): boolean {
    switch (expression.kind) {
      case "nothing":
      case "bytes":
        return false;
      case "empty":
        return true;
      case "sequence":
        return this.isNullable(expression.head) && this.isNullable(expression.tail);
      case "union":
        return expression.members.some((member) => this.isNullable(member));
      case "intersection":
        return expression.members.every((member) => this.isNullable(member));
      case "repeat":
        return expression.min === 0 || this.isNullable(expression.body);
      case "complement":
        return !this.isNullable(expression.body);
      case "rule":
        return this.#once(expression, (body) => this.isNullable(body));
      case "budget":
        return this.isNullable(expression.body);
    }
  }

  #once<Result>(rule: Extract<Expression, { kind: "rule" }>, compute: (body: Expression) => Result): Result {
    if (this.#expanding.has(rule)) throw new Error(`The rule "${rule.key}" begins with itself.`);
    this.#expanding.add(rule);
    try {
      return compute(rule.expand());
    } finally {
      this.#expanding.delete(rule);
    }
  }

  steps(expression: Expression): readonly Step[] {
    const known = this.#steps.get(expression);
    if (known !== undefined) return known;
    const answer = merge(this.#computeSteps(expression));
    this.#steps.set(expression, answer);
    return answer;
  }

  #computeSteps(expression: Expression): Step[] {
    const { sequence, repeat, intersection, budget } = bind(this.#expressions);
    switch (expression.kind) {
      case "nothing":
      case "empty":
        return [];
      case "bytes":
        return [{ set: expression.set, next: this.#expressions.empty }];
      case "sequence": {
        const { head, tail } = expression;
        const steps = this.steps(head).map(({ set, next }) => ({ set, next: sequence(next, tail) }));
        return this.isNullable(head) ? [...steps, ...this.steps(tail)] : steps;
      }
      case "union":
        return expression.members.flatMap((member) => this.steps(member));
      case "repeat": {
        const { body, min, max } = expression;
        const rest = repeat(body, Math.max(min - 1, 0), max - 1);
        return this.steps(body).map(({ set, next }) => ({ set, next: sequence(next, rest) }));
      }
      case "rule":
        return this.#once(expression, (body) => [...this.steps(body)]);
      case "budget":
        return this.steps(expression.body).map(({ set, next }) => ({
          set,
          next: budget(next, expression.tokens),
        }));
      case "intersection": {
        const [first, ...others] = expression.members.map((member) => this.steps(member));
        return others.reduce<readonly Step[]>(
          (left, right) =>
            left.flatMap((a) =>
              right.flatMap((b) => {
                const set = intersect(a.set, b.set);
                return isEmptySet(set) ? [] : [{ set, next: intersection(a.next, b.next) }];
              }),
            ),
          first ?? [],
        ) as Step[];
      }
      case "complement":
        return this.#complementSteps(this.steps(expression.body));
    }
  }

  /** A complement needs a deterministic body: each byte goes to exactly one place. */
  #complementSteps(steps: readonly Step[]): Step[] {
    const classes = new Map<string, { readonly set: ByteSet; readonly nexts: readonly Expression[] }>();
    for (let byte = 0; byte < 256; byte++) {
      const taken = steps.filter(({ set }) => hasByte(set, byte));
      const key = taken.map(({ next }) => next.id).join();
      const found = classes.get(key) ?? { set: new Uint32Array(8), nexts: taken.map(({ next }) => next) };
      (found.set[byte >> 5] as number) |= 1 << (byte & 31);
      classes.set(key, found);
    }
    return [...classes.values()].map(({ set, nexts }) => ({
      set,
      next: this.#expressions.complement(this.#expressions.union(...nexts)),
    }));
  }

  /** True when no text at all is allowed. Rules are taken at their word that they are not empty. */
  isEmpty(expression: Expression): boolean {
    const known = this.#isEmpty.get(expression);
    if (known !== undefined) return known;
    const answer = this.#computeEmpty(expression);
    this.#isEmpty.set(expression, answer);
    return answer;
  }

  #computeEmpty(expression: Expression): boolean {
    switch (expression.kind) {
      case "nothing":
        return true;
      case "sequence":
        return this.isEmpty(expression.head) || this.isEmpty(expression.tail);
      case "union":
        return expression.members.every((member) => this.isEmpty(member));
      case "repeat":
        return expression.min > 0 && this.isEmpty(expression.body);
      case "budget":
        return this.isEmpty(expression.body);
      case "intersection":
      case "complement":
        return this.#search(expression) === null;
      default:
        return false;
    }
  }

  /** A shortest text of the expression. @throws Error when there is none. */
  shortest(expression: Expression): Uint8Array {
    const known = this.#shortest.get(expression);
    if (known !== undefined) return known;
    const found = this.#search(expression);
    if (found === null) throw new Error("An empty language has no shortest text.");
    this.#shortest.set(expression, found);
    return found;
  }

  /** The expression once a token has ended: budgets at its front count down, and at 0 only the shortest text is left. */
  tick(expression: Expression): Expression {
    const { sequence, budget } = bind(this.#expressions);
    switch (expression.kind) {
      case "budget": {
        const { body, tokens } = expression;
        return tokens > 1
          ? budget(this.tick(body), tokens - 1)
          : this.#expressions.literal(this.shortest(body));
      }
      case "sequence": {
        const head = this.tick(expression.head);
        return head === expression.head ? expression : sequence(head, expression.tail);
      }
      case "union": {
        const members = expression.members.map((member) => this.tick(member));
        return members.some((member, index) => member !== expression.members[index])
          ? this.#expressions.union(...members)
          : expression;
      }
      default:
        return expression;
    }
  }

  /** Breadth first over derivatives to the first that is nullable. */
  #search(start: Expression): Uint8Array | null {
    interface Path {
      readonly at: Expression;
      readonly byte: number;
      readonly before: Path | null;
    }
    const queue: Path[] = [{ at: start, byte: 0, before: null }];
    const seen = new Set<Expression>([start]);
    for (const path of queue) {
      if (this.isNullable(path.at)) {
        const bytes: number[] = [];
        for (let step = path; step.before !== null; step = step.before) bytes.unshift(step.byte);
        return Uint8Array.from(bytes);
      }
      for (const { set, next } of this.steps(path.at)) {
        if (seen.has(next) || next.kind === "nothing") continue;
        seen.add(next);
        queue.push({ at: next, byte: firstByte(set), before: path });
      }
    }
    return null;
  }
}

function bind(expressions: Expressions) {
  return {
    sequence: (a: Expression, b: Expression) => expressions.sequence(a, b),
    repeat: (body: Expression, min: number, max: number) => expressions.repeat(body, min, max),
    intersection: (a: Expression, b: Expression) => expressions.intersection(a, b),
    budget: (body: Expression, tokens: number) => expressions.budget(body, tokens),
  };
}

/** Steps to one place become one; steps to the same set stay apart. */
function merge(steps: readonly Step[]): Step[] {
  const byNext = new Map<number, Step>();
  for (const step of steps) {
    if (step.next.kind === "nothing") continue;
    const found = byNext.get(step.next.id);
    byNext.set(step.next.id, found ? { set: unite(found.set, step.set), next: step.next } : step);
  }
  return [...byNext.values()];
}

function firstByte(set: ByteSet): number {
  for (let byte = 0; byte < 256; byte++) if (hasByte(set, byte)) return byte;
  throw new Error(`The set ${setKey(set)} is empty.`);
}
