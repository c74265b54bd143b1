/** A tool's parameters as keyword arguments of Python: `city="Oslo", days=3`. */
import { type ConstraintState, constraintOf } from "../masks/constraint.ts";
import type { Expression, Expressions } from "../masks/expression.ts";
import { jsonSchema } from "../masks/strategies/json-schema.ts";
import type { Strategy } from "../masks/strategy.ts";
import { StrategyError } from "../masks/strategy-error.ts";
import type { TokenBytes } from "../masks/vocabulary.ts";
import type { ToolDefinition } from "../sdk/request.ts";
import { language } from "./call-object.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Keywords of `parameters` that are met by writing only declared properties, and all required ones; and annotations. */
const understood = new Set([
  ...["type", "properties", "required", "additionalProperties", "patternProperties", "unevaluatedProperties"],
  ...["$defs", "definitions", "$schema", "$id", "$comment", "$anchor"],
  ...["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "strict"],
]);

interface Parameter {
  readonly name: string;
  readonly isRequired: boolean;
  readonly value: Strategy;
  /** Nothing but true, false and null. */
  readonly hasOnlyWords: boolean;
}

/**
 * Every list of declared properties in their order that has all required ones. Values are JSON, but True, False and None where
 * the whole value is one of these.
 * @throws StrategyError for keywords that say more of the object than its properties do.
 */
export function keywordArguments({ function: { name, parameters = {} } }: ToolDefinition): Strategy {
  const list = parametersOf(name, parameters);
  return language((expressions) => {
    // From the last property to the first: the lists that may follow after an argument, and those that may begin here.
    let afterOne: Expression = expressions.empty;
    let atStart: Expression = expressions.empty;
    for (const parameter of [...list].reverse()) {
      const { name: key, isRequired } = parameter;
      const written = expressions.sequence(
        expressions.literal(`${key}=`),
        pythonValue(expressions, parameter),
      );
      const next = expressions.sequence(written, afterOne);
      const here = expressions.sequence(expressions.literal(", "), next);
      atStart = isRequired ? next : expressions.union(next, atStart);
      afterOne = isRequired ? here : expressions.union(here, afterOne);
    }
    return atStart;
  });
}

function parametersOf(tool: string, schema: Schema): readonly Parameter[] {
  const refuse = (path: string, reason: string): never => {
    throw new StrategyError(`tool "${tool}"`, path, reason);
  };
  const foreign = Object.keys(schema).find((key) => !understood.has(key));
  if (foreign !== undefined) {
    refuse(
      `#/${foreign}`,
      `keyword arguments, which this model writes, cannot keep "${foreign}" of the whole object: declare plain properties.`,
    );
  }
  const properties = (schema.properties ?? {}) as Readonly<Record<string, unknown>>;
  const required = (schema.required ?? []) as readonly string[];
  const undeclared = required.find((key) => !Object.hasOwn(properties, key));
  if (undeclared !== undefined) {
    refuse("#/required", `"${undeclared}" is required but not declared: add it to properties.`);
  }
  const { $defs = {}, definitions = {} } = schema;
  return Object.entries(properties).map(([key, property]) => {
    if (!/^[\p{L}_$][\p{L}\p{N}_$.-]*$/u.test(key)) {
      refuse(`#/properties/${key}`, `"${key}" is no name for a keyword argument: use letters, digits and _.`);
    }
    const whole = typeof property === "object" ? { $defs, definitions, ...property } : { allOf: [property] };
    const types = [(whole as Schema).type].flat();
    return {
      name: key,
      isRequired: required.includes(key),
      value: valueStrategy(tool, key, whole),
      hasOnlyWords: types.every((type) => type === "boolean" || type === "null"),
    };
  });
}

function valueStrategy(tool: string, key: string, schema: Schema): Strategy {
  try {
    return jsonSchema(schema, { whiteSpace: "spaced" });
  } catch (error) {
    if (!(error instanceof StrategyError)) throw error;
    throw new StrategyError(`tool "${tool}"`, error.where.replace("#", `#/properties/${key}`), error.reason);
  }
}

const pythonWords = [
  ["true", "True"],
  ["false", "False"],
  ["null", "None"],
] as const;

/** The values of a strategy as Python writes them: True, False and None beside JSON's values, or alone where the schema allows nothing else. */
function pythonValue(expressions: Expressions, { value, hasOnlyWords }: Parameter): Expression {
  const renamed = pythonWords.flatMap(([word, python]) => (accepts(value, word) ? [python] : []));
  const words = renamed.map((word) => expressions.literal(word));
  return hasOnlyWords ? expressions.union(...words) : expressions.union(value.build(expressions), ...words);
}

/** Tokens that are single bytes: enough to ask whether a text is allowed. */
const singleBytes: TokenBytes = {
  vocabSize: 256,
  eosTokenIds: [],
  tokenBytes: (token) => Uint8Array.of(token),
  encode: (text) => [...new TextEncoder().encode(text)],
};

function accepts(value: Strategy, text: string): boolean {
  let state: ConstraintState | null = constraintOf(value, singleBytes).start;
  for (const byte of singleBytes.encode(text)) state = state?.advance(byte) ?? null;
  return state?.canEnd === true;
}
