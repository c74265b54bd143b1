/** A tool's parameters as keyword arguments of Python: `city="Oslo", days=3`. */

import type { Expression, Expressions } from "../masks/automaton/expression.ts";
import { type ConstraintState, constraintOf } from "../masks/masks/constraint.ts";
import { jsonSchema } from "../masks/strategies/json-schema.ts";
import type { Strategy } from "../masks/strategy.ts";
import { StrategyError } from "../masks/strategy-error.ts";
import type { TokenBytes } from "../masks/vocabulary/token-texts.ts";
import type { PropertyOrder, ToolDefinition } from "../sdk/request.ts";
import { languageStrategy } from "./call-object.ts";

type Schema = Readonly<Record<string, unknown>>;

/**
 * Schema keywords of `parameters` that hold for every list of declared properties which has all required ones; and
 * annotations.
 */
const understood = new Set([
  ...["type", "properties", "required", "additionalProperties", "patternProperties", "unevaluatedProperties"],
  ...["$defs", "definitions", "$schema", "$id", "$comment", "$anchor"],
  ...["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "strict"],
]);

interface Parameter {
  readonly name: string;
  readonly isRequired: boolean;
  readonly value: Strategy;
  /** True if the value can only be true, false or null. */
  readonly hasOnlyWords: boolean;
}

/**
 * The language of all lists of declared properties that have all required ones, in the order that the tool asks for. Values
 * are JSON, or True, False and None if the whole value is one of these.
 * @throws StrategyError for keywords that limit the object beyond its properties.
 */
export function keywordArgumentsStrategy({ function: about }: ToolDefinition): Strategy {
  const { name, parameters = {}, order = "required" } = about;
  const list = parametersOf(name, parameters);
  return languageStrategy((expressions) => argumentLists(expressions, list, order, ++lists));
}

/** Numbers the lists of arguments, so that rules of two tools in one arena have different keys. */
let lists = 0;

/**
 * The language of all lists of the parameters in the given order: each parameter at most once, each required one exactly once.
 */
function argumentLists(
  expressions: Expressions,
  list: readonly Parameter[],
  order: PropertyOrder,
  serial: number,
): Expression {
  const written = new Map<Parameter, Expression>();
  const one = (parameter: Parameter): Expression => {
    const known = written.get(parameter);
    if (known) return known;
    const made = expressions.sequence(
      expressions.literal(`${parameter.name}=`),
      pythonValue(expressions, parameter),
    );
    written.set(parameter, made);
    return made;
  };
  const rest = (left: readonly Parameter[], isFirst: boolean): Expression => {
    const key = `arguments${serial}:${isFirst}:${left.map((parameter) => list.indexOf(parameter)).join()}`;
    const mayEnd = left.every(({ isRequired }) => !isRequired);
    return expressions.rule(key, () => {
      const choices = nextArguments(left, order).map(([parameter, others]) =>
        expressions.sequence(
          expressions.literal(isFirst ? "" : ", "),
          one(parameter),
          others.length === 0 ? expressions.empty : rest(others, false),
        ),
      );
      return expressions.union(...(mayEnd ? [expressions.empty] : []), ...choices);
    });
  };
  return list.length === 0 ? expressions.empty : rest(list, true);
}

/** The arguments that may come next, each with the arguments that may follow it. */
function nextArguments(
  left: readonly Parameter[],
  order: PropertyOrder,
): readonly (readonly [Parameter, readonly Parameter[]])[] {
  const firstRequired = left.find(({ isRequired }) => isRequired);
  const isAllowed = (parameter: Parameter, index: number) => {
    if (order === "any") return true;
    if (order === "required") return !parameter.isRequired || parameter === firstRequired;
    return firstRequired === undefined || index <= left.indexOf(firstRequired);
  };
  return left
    .filter(isAllowed)
    .map((parameter) => [
      parameter,
      order === "schema"
        ? left.slice(left.indexOf(parameter) + 1)
        : left.filter((other) => other !== parameter),
    ]);
}

function parametersOf(tool: string, schema: Schema): readonly Parameter[] {
  const refuse = (path: string, reason: string): never => {
    throw new StrategyError(`tool "${tool}"`, path, reason);
  };
  const foreign = Object.keys(schema).find((key) => !understood.has(key));
  if (foreign !== undefined) {
    refuse(
      `#/${foreign}`,
      `this model writes calls with keyword arguments, for which "${foreign}" cannot be enforced: describe each argument in properties.`,
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
      refuse(
        `#/properties/${key}`,
        `"${key}" is not a valid name for a keyword argument: use letters, digits and _.`,
      );
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

/** The values of a strategy as Python writes them: True, False and None besides JSON's values, or only these if the schema allows nothing else. */
function pythonValue(expressions: Expressions, { value, hasOnlyWords }: Parameter): Expression {
  const renamed = pythonWords.flatMap(([word, python]) => (accepts(value, word) ? [python] : []));
  const words = renamed.map((word) => expressions.literal(word));
  return hasOnlyWords ? expressions.union(...words) : expressions.union(value.build(expressions), ...words);
}

/** A vocabulary of single bytes, which is enough to test whether a strategy allows a text. */
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
