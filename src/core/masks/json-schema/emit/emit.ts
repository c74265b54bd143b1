/** From the normal form to expressions: a value of a handle is a rule, so that recursion ends and nothing is made that is not reached. */
import type { Expression, Expressions } from "../../automaton/expression.ts";
import { StrategyError } from "../../strategy-error.ts";
import type { Alternative, SchemaHandle } from "../normal-form.ts";
import { numberExpression } from "../scalars/number.ts";
import { stringTerminal } from "../scalars/string-terminal.ts";
import { createEmission, type Emission, type EmitOptions } from "./emission.ts";
import { arrayExpression } from "./emit-array.ts";
import { valuesExpression } from "./emit-literal.ts";
import { objectExpression } from "./emit-object.ts";
import { itemTexts } from "./item-texts.ts";

/**
 * All JSON texts of the values that a handle allows; `nothing` if it allows no value. @throws StrategyError for a keyword that
 * cannot be enforced, ConstraintLimitError if something is too large; both also later, when a part is reached for the first time
 */
export function emitSchema(expressions: Expressions, handle: SchemaHandle, options: EmitOptions): Expression {
  if (handle.normal().length === 0) return expressions.nothing;
  const emission = emissionOf(expressions, options);
  return expressions.sequence(emission.style.gap, emission.value(handle));
}

export function emissionOf(expressions: Expressions, options: EmitOptions): Emission {
  return createEmission(expressions, options, valueExpression, oneSpelling);
}

/**
 * The values of a part of an item of a `uniqueItems` list, each in one spelling: `one-spelling.ts` decides which values have
 * one.
 */
function oneSpelling(emission: Emission, handle: SchemaHandle): Expression {
  const { expressions, options } = emission;
  return itemTexts(expressions, handle.normal(), options.whiteSpace, stringTerminal, (alternative) =>
    alternativeExpression(
      emission,
      alternative.type === "object" ? { ...alternative, additional: never } : alternative,
    ),
  );
}

const never: SchemaHandle = { key: "never", normal: () => [] };

function valueExpression(emission: Emission, handle: SchemaHandle): Expression {
  const alternatives = handle.normal();
  const listed = alternatives.flatMap((each) => (each.type === "literal" ? [each.value] : []));
  const values = emission.expressions.union(
    valuesExpression(emission, handle.key, listed),
    ...alternatives.map((alternative) => alternativeExpression(emission, alternative)),
  );
  if (values.kind === "nothing") {
    throw new StrategyError(
      "jsonSchema",
      "",
      `a part of the schema (${handle.key}) has no valid value: change that part.`,
    );
  }
  return values;
}

function alternativeExpression(emission: Emission, alternative: Alternative): Expression {
  const { expressions } = emission;
  switch (alternative.type) {
    case "literal":
      return expressions.nothing;
    case "null":
      return expressions.literal("null");
    case "boolean":
      return expressions.union(expressions.literal("true"), expressions.literal("false"));
    case "number":
      return emission.scalar(alternative, numberExpression);
    case "string": {
      const quote = expressions.literal('"');
      return expressions.sequence(quote, stringTerminal(expressions, [alternative]));
    }
    case "array":
      return arrayExpression(emission, alternative);
    case "object":
      return objectExpression(emission, alternative);
  }
}
