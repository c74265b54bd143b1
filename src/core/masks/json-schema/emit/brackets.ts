/** The punctuation of arrays and objects: brackets and commas, with the white space around them. */
import type { Expression } from "../../automaton/expression.ts";
import type { Emission } from "./emission.ts";

export interface Content {
  readonly brackets: "[]" | "{}";
  /** The array or object may end here. */
  readonly canClose: boolean;
  /** An item or member and everything after it; `nothing` if no further one is allowed. */
  readonly more: Expression;
}

/** A whole array or object, from its opening bracket on. */
export function containerExpression(
  { expressions, style }: Emission,
  { brackets, canClose, more }: Content,
): Expression {
  const close = canClose ? expressions.literal(brackets.charAt(1)) : expressions.nothing;
  return expressions.sequence(
    expressions.literal(brackets.charAt(0)),
    style.gap,
    style.line,
    expressions.union(close, more),
  );
}

/** The texts after an item or a member: the closing bracket, or a comma and the next item. */
export function afterItemExpression(
  { expressions, style }: Emission,
  { brackets, canClose, more }: Content,
): Expression {
  const bracket = canClose ? expressions.literal(brackets.charAt(1)) : expressions.nothing;
  return expressions.sequence(
    style.gap,
    expressions.union(expressions.sequence(style.line, bracket), expressions.sequence(style.comma, more)),
  );
}
