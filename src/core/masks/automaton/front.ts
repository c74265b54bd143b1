/** The front of an expression: expands the rules at its beginning, and computes the remaining expression after one byte. */
import { hasByte } from "./byte-set.ts";
import {
  type Expression,
  headOf,
  type RuleExpression,
  type StringTerminalExpression,
  type StringTerminalMaker,
  type WorkBudget,
} from "./expression-node.ts";
import type { DerivativeStep } from "./partition.ts";

/** Most rules in one another that are expanded at once: a rule that begins with itself would never end. */
const MOST_RULES = 16;

/** The parts of an arena and its derivatives that this file calls. */
interface Arena {
  readonly expressions: WorkBudget & {
    readonly empty: Expression;
    pair(head: Expression, tail: Expression): Expression;
    stringTerminal(maker: StringTerminalMaker, text: Expression): Expression;
  };
  readonly derivatives: {
    expand(rule: RuleExpression): Expression;
    isNullable(expression: Expression): boolean;
    steps(expression: Expression): readonly DerivativeStep[];
  };
}

/** An equivalent expression that does not begin with a rule; `expression` itself if rules are nested too deeply at its front. */
export function expandFront({ expressions, derivatives }: Arena, expression: Expression): Expression {
  let front = expression;
  for (let turn = 0; turn < MOST_RULES; turn++) {
    if (front.kind === "rule") front = derivatives.expand(front);
    else if (front.kind === "sequence" && front.head.kind === "rule") {
      front = expressions.pair(derivatives.expand(front.head), front.tail);
    } else return front;
  }
  return expression;
}

/** True where the expression, or one of its alternatives, begins with a string terminal or with listed bytes. Rules are not looked into. */
export function beginsWithTerminalOrListedBytes(expression: Expression): boolean {
  const head = headOf(expression);
  if (head.kind === "union") return head.members.some(beginsWithTerminalOrListedBytes);
  return head.kind === "stringTerminal" || head.beginnings !== undefined;
}

/** Adds to `nexts` what may be left of the expression after the byte. A string terminal makes only this one step. */
export function addNexts(arena: Arena, expression: Expression, byte: number, nexts: Expression[]): void {
  const { derivatives, expressions } = arena;
  if (expression.kind === "stringTerminal") {
    const next = nextOfTerminal(expressions, expression, byte);
    if (next !== null) nexts.push(next);
  } else if (expression.kind === "union") {
    for (const member of expression.members) addNexts(arena, member, byte, nexts);
  } else if (expression.kind === "sequence" && isSplit(arena, expression.head)) {
    const first = nexts.length;
    addNexts(arena, expression.head, byte, nexts);
    for (let index = first; index < nexts.length; index++) {
      nexts[index] = expressions.pair(nexts[index] as Expression, expression.tail);
    }
  } else {
    for (const { set, next } of derivatives.steps(expression)) if (hasByte(set, byte)) nexts.push(next);
  }
}

/** The string terminal after the byte; null if the byte is not allowed. */
export function nextOfTerminal(
  expressions: Arena["expressions"],
  { maker, body }: StringTerminalExpression,
  byte: number,
): Expression | null {
  const { classOf, nexts } = maker.row(body, expressions);
  const byteClass = classOf[byte] as number;
  if (byteClass === 0) return null;
  const next = nexts[byteClass] ?? null;
  return next === null ? expressions.empty : expressions.stringTerminal(maker, next);
}

/** True for a head that can be stepped without its tail: it begins apart and is never empty. */
function isSplit({ derivatives }: Arena, head: Expression): boolean {
  return beginsWithTerminalOrListedBytes(head) && !derivatives.isNullable(head);
}
