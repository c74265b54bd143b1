/** Values with a single spelling each, for items that have to differ: two values are equal if their texts are equal. */
import type { Expression, Expressions } from "../../automaton/expression.ts";
import type {
  Alternative,
  ArrayAlternative,
  NumberAlternative,
  ObjectAlternative,
  StringAlternative,
} from "../normal-form.ts";
import { numberExpression } from "../scalars/number.ts";
import { canonicalNumber } from "../scalars/number-spellings.ts";
import type { WhiteSpace } from "./emission.ts";
import { plainText } from "./emit-literal.ts";
import { listNumbers } from "./finite-values.ts";

/** The texts after the opening quote of these strings, with the closing quote. */
type StringTexts = (
  expressions: Expressions,
  alternatives: readonly StringAlternative[],
  literals: readonly string[],
  isCanonical: boolean,
) => Expression;

type ContainerAlternative = ArrayAlternative | ObjectAlternative;

/** True where some of the values are arrays or objects that are not written down in the schema. */
export function hasContainers(alternatives: readonly Alternative[]): boolean {
  return alternatives.some(({ type }) => type === "array" || type === "object");
}

/**
 * The texts of the values, one for each, as `JSON.stringify` writes it: of numbers those with up to 15 significant digits.
 * @param container the texts of arrays and objects that are not written down in the schema; needed if `hasContainers` is true
 * @throws StrategyError, ConstraintLimitError as the expressions of strings and numbers do
 */
export function itemTexts(
  expressions: Expressions,
  alternatives: readonly Alternative[],
  whiteSpace: WhiteSpace,
  stringTexts: StringTexts,
  container?: (alternative: ContainerAlternative) => Expression,
): Expression {
  const strings: StringAlternative[] = [];
  const contents: string[] = [];
  const others: Expression[] = [];
  for (const alternative of alternatives) {
    if (alternative.type === "string") strings.push(alternative);
    else if (alternative.type === "literal" && typeof alternative.value === "string")
      contents.push(alternative.value);
    else if (container && (alternative.type === "array" || alternative.type === "object"))
      others.push(container(alternative));
    else others.push(otherTexts(expressions, alternative, whiteSpace));
  }
  if (strings.length + contents.length > 0) {
    const rest = stringTexts(expressions, strings, contents, true);
    others.push(expressions.sequence(expressions.literal('"'), rest));
  }
  return expressions.union(...others);
}

function otherTexts(expressions: Expressions, alternative: Alternative, whiteSpace: WhiteSpace): Expression {
  switch (alternative.type) {
    case "literal":
      return expressions.literal(plainText(alternative.value, whiteSpace));
    case "null":
      return expressions.literal("null");
    case "boolean":
      return expressions.union(expressions.literal("true"), expressions.literal("false"));
    case "number":
      return numberTexts(expressions, alternative);
    default:
      throw new Error(`An ${alternative.type} can be written in several ways.`);
  }
}

function numberTexts(expressions: Expressions, alternative: NumberAlternative): Expression {
  const listed = listNumbers(alternative);
  if (listed !== null)
    return expressions.union(...listed.map((value) => expressions.literal(JSON.stringify(value))));
  const canonical = canonicalNumber(expressions, alternative.integer);
  return expressions.intersection(canonical, numberExpression(expressions, alternative));
}
