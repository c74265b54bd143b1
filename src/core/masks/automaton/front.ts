/** The front of an expression: expands the rules at its beginning, and follows the bytes of a string terminal. */

import type { Followed, Span } from "./beginnings.ts";
import {
  type Expression,
  headOf,
  type RuleExpression,
  type StringTerminalExpression,
  type StringTerminalMaker,
  type WorkBudget,
} from "./expression-node.ts";

/** Most rules in one another that are expanded at once: a rule that begins with itself would never end. */
const MOST_RULES = 16;

/** The parts of an arena and its derivatives that this file calls. */
interface Arena {
  readonly expressions: WorkBudget & {
    pair(head: Expression, tail: Expression): Expression;
    stringTerminal(maker: StringTerminalMaker, text: Expression): Expression;
  };
  readonly derivatives: { expand(rule: RuleExpression): Expression };
}

/**
 * An equivalent expression that does not begin with a rule, apart from a rule that lists its first bytes; `expression` itself if rules
 * are nested too deeply at its front.
 */
export function expandFront({ expressions, derivatives }: Arena, expression: Expression): Expression {
  let front = expression;
  for (let turn = 0; turn < MOST_RULES; turn++) {
    const head = headOf(front);
    if (head.kind !== "rule" || head.beginnings !== undefined) return front;
    const expanded = derivatives.expand(head);
    front = front.kind === "sequence" ? expressions.pair(expanded, front.tail) : expanded;
  }
  return expression;
}

/** True where the expression, or one of its alternatives, begins with a string terminal or with listed bytes. Rules are not looked into. */
export function beginsWithTerminalOrListedBytes(expression: Expression): boolean {
  const head = headOf(expression);
  if (head.kind === "union") return head.members.some(beginsWithTerminalOrListedBytes);
  const text = head.kind === "distinct" ? head.body : head;
  return text.kind === "stringTerminal" || head.beginnings !== undefined;
}

/** The string terminal after some bytes, or `empty` after its end, and the number of bytes that it took. Null where a byte is not allowed. */
export function followTerminal(
  expressions: Arena["expressions"],
  terminal: StringTerminalExpression,
  { bytes, from, to }: Span,
): Followed | null {
  const { maker, body } = terminal;
  const followed = maker.follow(body, bytes, from, to, expressions);
  if (followed === null) return null;
  const { rest, taken } = followed;
  return { rest: rest === body ? terminal : expressions.stringTerminal(maker, rest), taken };
}
