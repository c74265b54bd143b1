/** The bytes that may come first in an expression, and the expression after each: partial derivatives (Antimirov 1996), computed once per expression. */

import { ConstraintLimitError, StrategyError } from "../strategy-error.ts";
import { areDisjoint, type ByteSet, intersect, unite } from "./byte-set.ts";
import { distinctSteps } from "./distinct.ts";
import { Emptiness } from "./emptiness.ts";
import type { Expressions } from "./expression.ts";
import {
  type Expression,
  type RuleExpression,
  type SequenceExpression,
  type StringTerminalExpression,
  UNKNOWN,
  YES,
} from "./expression-node.ts";
import { type DerivativeStep, partition } from "./partition.ts";
import { areStepsDisjoint, dropImpliedSteps } from "./steps.ts";

/** The deepest nesting of expressions, with rules expanded: this is the depth of the recursion. Sequences do not count. */
const MOST_NESTING = 400;

/** With at most this many steps, every pair is examined. */
const FEW = 16;

/** Memory for `partition`, reused at each call: the result is read before the next call. */
const splitClasses = new Int32Array(256);

export class Derivatives {
  readonly #expressions: Expressions;
  readonly #steps = new Map<Expression, readonly DerivativeStep[]>();
  readonly #uniqueSteps = new Map<Expression, readonly DerivativeStep[]>();
  /** The nullability of expressions whose flag `nullable` is UNKNOWN. */
  readonly #nullable = new Map<Expression, boolean>();
  readonly #expanded = new Map<RuleExpression, Expression>();
  /** Rules whose steps, and whose nullability, are being computed. */
  readonly #stepping = new Set<RuleExpression>();
  readonly #asking = new Set<RuleExpression>();
  readonly #emptiness: Emptiness;
  #nesting = 0;

  constructor(expressions: Expressions) {
    this.#expressions = expressions;
    this.#emptiness = new Emptiness(expressions, this);
  }

  /** True if the expression allows no text. Assumes that no rule is empty. */
  isEmpty(expression: Expression): boolean {
    return this.#emptiness.isEmpty(expression);
  }

  /** A shortest text of the expression. @throws Error if there is none. */
  shortest(expression: Expression): Uint8Array {
    return this.#emptiness.shortest(expression);
  }

  /** The expression after the end of a token: budgets at its front count down, and at 0 only the shortest text is left. */
  tick(expression: Expression): Expression {
    return this.#emptiness.tick(expression);
  }

  /** Whether the empty text is allowed. */
  isNullable(expression: Expression): boolean {
    if (expression.nullable !== UNKNOWN) return expression.nullable === YES;
    const known = this.#nullable.get(expression);
    if (known !== undefined) return known;
    const answer = this.nested(() => this.#computeNullable(expression));
    this.#nullable.set(expression, answer);
    return answer;
  }

  #computeNullable(expression: Expression): boolean {
    switch (expression.kind) {
      case "sequence": {
        let rest: Expression = expression;
        for (; rest.kind === "sequence"; rest = rest.tail) if (!this.isNullable(rest.head)) return false;
        return this.isNullable(rest);
      }
      case "union":
        return expression.members.some((member) => this.isNullable(member));
      case "intersection":
        return expression.members.every((member) => this.isNullable(member));
      case "complement":
        return !this.isNullable(expression.body);
      case "repeat":
      case "budget":
        return this.isNullable(expression.body);
      case "rule":
        return guarded(this.#asking, expression, () => this.isNullable(this.expand(expression)));
      default:
        return expression.nullable === YES;
    }
  }

  /** The expansion of a rule. */
  expand(rule: RuleExpression): Expression {
    let expanded = this.#expanded.get(rule);
    if (!expanded) {
      this.#expressions.spend(1);
      expanded = rule.expand();
      this.#expanded.set(rule, expanded);
    }
    return expanded;
  }

  steps(expression: Expression): readonly DerivativeStep[] {
    // The step of a literal's byte is created again each time, which is faster than looking it up.
    if (expression.kind === "sequence" && expression.head.kind === "bytes") {
      return [{ set: expression.head.set, next: expression.tail }];
    }
    const known = this.#steps.get(expression);
    if (known !== undefined) return known;
    const answer = this.nested(() =>
      dropImpliedSteps(merge(this.#computeSteps(expression)), this.#expressions.anything),
    );
    this.#expressions.spend(1 + answer.length);
    this.#steps.set(expression, answer);
    return answer;
  }

  #computeSteps(expression: Expression): readonly DerivativeStep[] {
    const expressions = this.#expressions;
    switch (expression.kind) {
      case "nothing":
      case "empty":
        return [];
      case "bytes":
        return [{ set: expression.set, next: expressions.empty }];
      case "sequence":
        return this.#sequenceSteps(expression);
      case "union":
        return this.#concatenate(expression.members);
      case "repeat": {
        const { body, min, max } = expression;
        const rest = expressions.repeat(body, Math.max(min - 1, 0), max - 1);
        return this.steps(body).map(({ set, next }) => ({ set, next: expressions.pair(next, rest) }));
      }
      case "rule":
        return guarded(this.#stepping, expression, () => this.steps(this.expand(expression)));
      case "budget": {
        const { body, tokens } = expression;
        return this.steps(body).map(({ set, next }) => ({ set, next: expressions.budget(next, tokens) }));
      }
      case "stringTerminal":
        return this.#terminalSteps(expression);
      case "distinct":
        return distinctSteps(expressions, this, expression);
      case "intersection":
        return expression.members.map((member) => this.#unique(member)).reduce((a, b) => this.#cross(a, b));
      case "complement":
        return this.#complementSteps(this.steps(expression.body));
    }
  }

  /** The steps of a sequence: those of its head, and as long as the parts so far may be empty, those of the next part. A loop, so that long sequences need no deep recursion. */
  #sequenceSteps(expression: SequenceExpression): DerivativeStep[] {
    const steps: DerivativeStep[] = [];
    let rest: Expression = expression;
    while (rest.kind === "sequence") {
      const { head, tail }: SequenceExpression = rest;
      for (const { set, next } of this.steps(head)) {
        steps.push({ set, next: this.#expressions.pair(next, tail) });
      }
      if (!this.isNullable(head)) return steps;
      this.#expressions.spend(1);
      rest = tail;
    }
    for (const step of this.steps(rest)) steps.push(step);
    return steps;
  }

  #terminalSteps({ maker, body }: StringTerminalExpression): DerivativeStep[] {
    return maker
      .steps(body, this.#expressions)
      .map(({ set, next }) => ({ set, next: this.#expressions.stringTerminal(maker, next) }));
  }

  #concatenate(members: readonly Expression[]): DerivativeStep[] {
    const steps: DerivativeStep[] = [];
    for (const member of members) for (const step of this.steps(member)) steps.push(step);
    this.#expressions.spend(steps.length);
    return steps;
  }

  #cross(left: readonly DerivativeStep[], right: readonly DerivativeStep[]): readonly DerivativeStep[] {
    this.#expressions.spend(left.length * right.length);
    const steps: DerivativeStep[] = [];
    for (const a of left) {
      for (const b of right) {
        if (areDisjoint(a.set, b.set)) continue;
        const next = this.#expressions.intersection(a.next, b.next);
        if (next.kind !== "nothing") steps.push({ set: intersect(a.set, b.set), next });
      }
    }
    return merge(steps);
  }

  /**
   * Steps whose sets of bytes do not overlap. Each member of an intersection then has at most one step for each byte, so the
   * intersection has one step for the byte too, and not one for every combination of the members' alternatives.
   */
  #unique(expression: Expression): readonly DerivativeStep[] {
    const known = this.#uniqueSteps.get(expression);
    if (known !== undefined) return known;
    const steps = this.steps(expression);
    const answer = areStepsDisjoint(steps)
      ? steps
      : merge(this.#split(steps).filter(({ next }) => next.kind !== "nothing"));
    this.#uniqueSteps.set(expression, answer);
    return answer;
  }

  /** For each class of bytes, the union of the expressions to which these bytes lead; `nothing` for the class that no step accepts. */
  #split(steps: readonly DerivativeStep[]): DerivativeStep[] {
    const { classOf, nextsOf } = partition(steps, splitClasses);
    const sets: (ByteSet | undefined)[] = [];
    for (let byte = 0; byte < 256; byte++) {
      const byteClass = classOf[byte] as number;
      sets[byteClass] ??= new Uint32Array(8);
      (sets[byteClass][byte >> 5] as number) |= 1 << (byte & 31);
    }
    return sets.flatMap((set, byteClass) =>
      set ? [{ set, next: this.#expressions.unionOf(nextsOf(byteClass)) }] : [],
    );
  }

  /** A complement needs a deterministic body: each byte goes to exactly one place. */
  #complementSteps(steps: readonly DerivativeStep[]): DerivativeStep[] {
    return this.#split(steps).map(({ set, next }) => ({ set, next: this.#expressions.complement(next) }));
  }

  /** Calls `compute` one level deeper. @throws ConstraintLimitError if the stack might overflow. */
  nested<Result>(compute: () => Result): Result {
    if (this.#nesting >= MOST_NESTING) {
      throw new ConstraintLimitError(`expressions are nested more than ${MOST_NESTING} levels deep`);
    }
    this.#nesting++;
    try {
      return compute();
    } finally {
      this.#nesting--;
    }
  }
}

function guarded<Result>(active: Set<RuleExpression>, rule: RuleExpression, compute: () => Result): Result {
  if (active.has(rule)) {
    throw new StrategyError(
      "grammar",
      `rule "${rule.key}"`,
      'the rule begins with itself (left recursion): use "*" or "+" for the repetition, or put a literal before the reference',
    );
  }
  active.add(rule);
  try {
    return compute();
  } finally {
    active.delete(rule);
  }
}

/** Joins steps that lead to the same expression, and drops steps to `nothing`. Steps of the same set of bytes to different expressions stay apart. */
function merge(steps: readonly DerivativeStep[]): readonly DerivativeStep[] {
  if (steps.length <= FEW && !needsMerging(steps)) return steps;
  const byNext = new Map<Expression, DerivativeStep>();
  for (const step of steps) {
    if (step.next.kind === "nothing") continue;
    const found = byNext.get(step.next);
    byNext.set(step.next, found ? { set: unite(found.set, step.set), next: step.next } : step);
  }
  return byNext.size === steps.length ? steps : [...byNext.values()];
}

function needsMerging(steps: readonly DerivativeStep[]): boolean {
  for (let index = 0; index < steps.length; index++) {
    const { next } = steps[index] as DerivativeStep;
    if (next.kind === "nothing") return true;
    for (let before = 0; before < index; before++)
      if ((steps[before] as DerivativeStep).next === next) return true;
  }
  return false;
}
