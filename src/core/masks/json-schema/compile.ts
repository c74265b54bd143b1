/** JSON Schema to an expression: `normalize` reads the schema, `emit` writes the language of its valid texts. */
import type { Expression, Expressions } from "../automaton/expression.ts";
import { StrategyError } from "../strategy-error.ts";
import { checkReachableSchemas } from "./check-reachable-schemas.ts";
import type { KeyOrder, WhiteSpace } from "./emit/emission.ts";
import { emitSchema } from "./emit/emit.ts";
import { normalizeSchema } from "./normalize/normalize.ts";

export interface JsonOptions {
  /**
   * "required" (default): the required properties as the schema lists them, optional ones anywhere, undeclared names behind the
   * required ones. "schema": all declared properties as the schema lists them, undeclared names behind them. "any": every order.
   */
  readonly order?: KeyOrder;
  /**
   * "compact" (default): none, as `JSON.stringify(value)` writes it. "spaced": one space after each colon and comma. "usual": one
   * space after each colon, and each item or property after a space or on a line of its own. "free": wherever RFC 8259, section 2
   * allows it, at most 64 characters in one place. No white space follows the value.
   */
  readonly whiteSpace?: WhiteSpace;
}

/**
 * The texts of the values that are valid against a schema. The schema is checked at once; what is made of it, only as far as
 * a text leads to it.
 * @throws StrategyError for a schema that is wrong, asks for what cannot be enforced, or that no value is valid against;
 * ConstraintLimitError for a schema that takes too much work. The returned function throws both, too, as `emitSchema` does.
 */
export function compileJsonSchema(
  schema: unknown,
  { order = "required", whiteSpace = "compact" }: JsonOptions = {},
): (expressions: Expressions) => Expression {
  const { root, nodes } = normalizeSchema(schema);
  if (root.normal().length === 0) {
    throw new StrategyError(
      "jsonSchema",
      "#",
      "no value is valid against the schema: write a schema that some value satisfies.",
    );
  }
  checkReachableSchemas(nodes, root);
  return (expressions) => emitSchema(expressions, root, { order, whiteSpace });
}

/** Any JSON object. */
export function compileJsonObject(options: JsonOptions = {}): (expressions: Expressions) => Expression {
  return compileJsonSchema({ type: "object" }, options);
}
