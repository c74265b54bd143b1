/** What an expression begins with, once the rules there are expanded. */
import { type Expression, leafOf, type RuleExpression } from "./expression-node.ts";

/** Most rules in one another that are expanded at once: a rule that begins with itself would never end. */
const MOST_RULES = 16;

/** What is needed of an arena and its derivatives. */
interface Arena {
  readonly expressions: { pair(head: Expression, tail: Expression): Expression };
  readonly derivatives: { expand(rule: RuleExpression): Expression };
}

/** The same texts, beginning with no rule; the expression itself where there are too many rules in one another. */
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

/** True where it, or one of its alternatives, begins with a leaf; not looking into rules. */
export function beginsWithLeaf(expression: Expression): boolean {
  if (leafOf(expression) !== null) return true;
  const head = expression.kind === "sequence" ? expression.head : expression;
  return head.kind === "union" && head.members.some(beginsWithLeaf);
}
