import { compileJsonObject, compileJsonSchema, type JsonOptions } from "../json-schema/compile.ts";
import { createStrategy, type Strategy, wholeTextAsAnswer } from "../strategy.ts";
import { StrategyError } from "../strategy-error.ts";
import { checkOptions, showValue } from "./arguments.ts";

const orders = ["required", "schema", "any"] as const;
const whiteSpaces = ["compact", "spaced", "usual", "free"] as const;

/**
 * JSON that is valid against a JSON Schema (draft-04 to 2020-12, as `$schema` declares; without it 2020-12). The answer is the whole text: give it to JSON.parse.
 *
 * A schema with a keyword that cannot be enforced is refused. Some values are written in fewer ways than JSON allows: never
 * 1e999, which JSON.parse reads as Infinity; no exponents where a number has bounds; integers without a point; strings that
 * have a pattern, and items that have to differ (`uniqueItems`), only as JSON.stringify writes them. Items that have to differ
 * may be strings, numbers of at most 15 digits, true, false, null, values that the schema lists, and objects and arrays of
 * these: such objects have their declared properties only, in the schema's order. Patterns may have word boundaries, and look
 * around at a fixed distance from the ends of the text: `^(?!…)`, `^a(?=…)`, `(?<!…)$`.
 *
 * @example
 * const person = jsonSchema({
 *   type: "object",
 *   properties: { name: { type: "string" }, age: { type: "integer", minimum: 0 } },
 *   required: ["name", "age"],
 *   additionalProperties: false,
 * });
 *
 * @param options `order`: "required" (default) writes the required properties as the schema lists them (but whole numbers first,
 * as JSON.stringify does), so that a name which has to come next is forced and costs no forward pass. Optional properties may
 * stand anywhere, and undeclared names behind the required ones. "schema" lists optional properties in their order, too: a model
 * that begins with a later one can no longer write those before it. "any" allows every order, also in objects that `const` and
 * `enum` list. `whiteSpace`: "compact" (default) is none, "spaced" is one space after
 * each colon and comma, "usual" is one space after each colon, and each item or property after a space or on a line of its own; "free" is wherever JSON allows it, at most 64 characters in one place.
 * @throws StrategyError with the path of a keyword that is wrong or cannot be enforced, and for a schema that no value meets. @throws ConstraintLimitError for one that takes too much work.
 */
export function jsonSchema(schema: object | boolean, options: JsonOptions = {}): Strategy {
  const checked = checkJsonOptions("jsonSchema", options);
  return createStrategy({
    kind: "jsonSchema",
    build: compileJsonSchema(schema, checked),
    answerOf: wholeTextAsAnswer,
  });
}

/** Any JSON object: what `response_format: { type: "json_object" }` asks for. @throws StrategyError for a wrong option. */
export function anyJsonObject(options: JsonOptions = {}): Strategy {
  const checked = checkJsonOptions("anyJsonObject", options);
  return createStrategy({
    kind: "jsonSchema",
    build: compileJsonObject(checked),
    answerOf: wholeTextAsAnswer,
  });
}

function checkJsonOptions(strategy: string, options: JsonOptions): JsonOptions {
  checkOptions(strategy, options, ["order", "whiteSpace"]);
  const { order = "required", whiteSpace = "compact" } = options;
  checkOneOf(strategy, "order", order, orders);
  checkOneOf(strategy, "whiteSpace", whiteSpace, whiteSpaces);
  return { order, whiteSpace };
}

function checkOneOf(strategy: string, name: string, value: string, allowed: readonly string[]): void {
  if (allowed.includes(value)) return;
  const list = allowed.map((each) => JSON.stringify(each)).join(" or ");
  throw new StrategyError(strategy, name, `${showValue(value)} is not allowed: write ${list}.`);
}
