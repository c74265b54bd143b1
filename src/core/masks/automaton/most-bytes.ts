/** Bounds for the bytes of texts, from the form of an expression alone. */
import type { Expression, RepeatExpression } from "./expression-node.ts";

/** The most bytes of a text; Infinity if texts have no bound, or if the form does not show it. @param times how often a repetition counts */
export function mostBytes(
  derivatives: { nested<Result>(compute: () => Result): Result },
  expression: Expression,
  times: (repetition: RepeatExpression) => number,
): number {
  const most = (part: Expression) => mostBytes(derivatives, part, times);
  switch (expression.kind) {
    case "empty":
    case "nothing":
      return 0;
    case "bytes":
      return 1;
    case "sequence": {
      let sum = 0;
      let rest: Expression = expression;
      for (; rest.kind === "sequence"; rest = rest.tail) sum += most(rest.head);
      return sum + most(rest);
    }
    case "union":
      return derivatives.nested(() => Math.max(...expression.members.map(most)));
    case "repeat":
      return times(expression) * most(expression.body);
    default:
      return Number.POSITIVE_INFINITY;
  }
}
