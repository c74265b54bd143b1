/** Reads the value of each keyword of JSON Schema into a node. Other keywords are annotations and are ignored. */

import type { Json } from "../normal-form.ts";
import { canonicalText, isArray, isObject, type JsonObject, type TypeName, typeBits } from "./json-value.ts";
import { pointerStep } from "./resolve.ts";
import type { SchemaNode } from "./schema-node.ts";

/** One keyword of one schema. */
export interface Keyword {
  readonly node: SchemaNode;
  readonly schema: JsonObject;
  readonly name: string;
  readonly value: Json;
  /** Reads the subschema at these steps below the keyword. */
  readonly child: (value: Json, ...steps: (string | number)[]) => SchemaNode;
  /** Throws an error that says what the value must be. */
  readonly wrong: (expected: string, ...steps: (string | number)[]) => never;
}

function wholeNumber(keyword: Keyword): number {
  const { value } = keyword;
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0) {
    return keyword.wrong("a whole number of at least 0");
  }
  return value;
}

function number(keyword: Keyword): number {
  return typeof keyword.value === "number" ? keyword.value : keyword.wrong("a number");
}

function text(keyword: Keyword): string {
  return typeof keyword.value === "string" ? keyword.value : keyword.wrong("a string");
}

function names(keyword: Keyword, value: Json = keyword.value, ...steps: string[]): string[] {
  if (!isArray(value)) return keyword.wrong("a list of property names", ...steps);
  return value.map((name, index) =>
    typeof name === "string" ? name : keyword.wrong("a property name (a string)", ...steps, index),
  );
}

function single(keyword: Keyword): SchemaNode {
  return keyword.child(keyword.value);
}

function list(keyword: Keyword): SchemaNode[] {
  const { value } = keyword;
  if (!isArray(value)) return keyword.wrong("a list of schemas");
  return value.map((schema, index) => keyword.child(schema, index));
}

function several(keyword: Keyword): SchemaNode[] {
  const nodes = list(keyword);
  return nodes.length > 0 ? nodes : keyword.wrong("a list of at least one schema");
}

function entries(keyword: Keyword): [string, Json][] {
  const { value } = keyword;
  return isObject(value) ? Object.entries(value) : keyword.wrong("an object with a schema for each name");
}

function named(keyword: Keyword): [string, SchemaNode][] {
  return entries(keyword).map(([name, schema]) => [name, keyword.child(schema, name)]);
}

function readType(keyword: Keyword): void {
  const { node, value } = keyword;
  const asked = isArray(value) ? value : [value];
  let types = 0;
  let integer = false;
  for (const name of asked) {
    if (name === "integer") integer = true;
    else if (typeof name === "string" && Object.hasOwn(typeBits, name)) types |= typeBits[name as TypeName];
    else
      keyword.wrong(
        "one of null, boolean, integer, number, string, array, object, or a list of some of these",
      );
  }
  if (asked.length === 0) keyword.wrong("at least one type");
  node.integer = integer && (types & typeBits.number) === 0;
  node.types = integer ? types | typeBits.number : types;
}

function readValues(keyword: Keyword, values: readonly Json[]): void {
  const before = keyword.node.values;
  const seen = new Set(before?.map(canonicalText));
  const kept = new Map<string, Json>();
  for (const value of values) {
    const key = canonicalText(value);
    if (before === null || seen.has(key)) kept.set(key, value);
  }
  keyword.node.values = [...kept.values()];
}

/** Draft-04 writes `exclusiveMinimum: true` beside `minimum`. */
function exclusiveLimit(keyword: Keyword, side: "minimum" | "maximum"): number {
  const { value, schema } = keyword;
  if (typeof value !== "boolean") return number(keyword);
  if (!value) return side === "minimum" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const limit = Object.hasOwn(schema, side) ? schema[side] : undefined;
  return typeof limit === "number" ? limit : keyword.wrong(`a number, or true beside a numeric ${side}`);
}

function readItems(keyword: Keyword): void {
  const { node, schema, value } = keyword;
  if (!isArray(value)) {
    node.items = single(keyword);
    return;
  }
  if (Object.hasOwn(schema, "prefixItems")) keyword.wrong("one schema if prefixItems is present");
  node.prefixItems = list(keyword);
}

function readDependencies(keyword: Keyword): void {
  const { node } = keyword;
  for (const [name, dependency] of entries(keyword)) {
    if (isArray(dependency)) {
      node.dependentRequired = [...node.dependentRequired, [name, names(keyword, dependency, name)] as const];
    } else
      node.dependentSchemas = [...node.dependentSchemas, [name, keyword.child(dependency, name)] as const];
  }
}

function readCondition(keyword: Keyword): void {
  const { node, schema } = keyword;
  const test = single(keyword);
  const branch = (name: "then" | "else") =>
    Object.hasOwn(schema, name) ? keyword.child(schema[name] as Json, "..", name) : null;
  node.condition = { test, yes: branch("then"), no: branch("else") };
}

function readReference(keyword: Keyword): void {
  const name = keyword.name as "$ref" | "$dynamicRef" | "$recursiveRef";
  keyword.node.references = [...keyword.node.references, { keyword: name, text: text(keyword) }];
}

/** Keywords whose value becomes the field of the same name. */
const fields: { readonly [Name in keyof SchemaNode]?: (keyword: Keyword) => SchemaNode[Name] } = {
  minimum: number,
  exclusiveMinimum: (keyword) => exclusiveLimit(keyword, "minimum"),
  maximum: number,
  exclusiveMaximum: (keyword) => exclusiveLimit(keyword, "maximum"),
  multipleOf: (keyword) => {
    const divisor = number(keyword);
    return divisor > 0 ? divisor : keyword.wrong("a number greater than 0");
  },
  minLength: wholeNumber,
  maxLength: wholeNumber,
  pattern: text,
  format: text,
  prefixItems: list,
  contains: single,
  minContains: wholeNumber,
  maxContains: wholeNumber,
  minItems: wholeNumber,
  maxItems: wholeNumber,
  uniqueItems: ({ value, wrong }) => (typeof value === "boolean" ? value : wrong("true or false")),
  unevaluatedItems: single,
  properties: (keyword) => new Map(named(keyword)),
  patternProperties: (keyword) => named(keyword).map(([pattern, node]) => ({ pattern, node })),
  additionalProperties: single,
  propertyNames: single,
  required: (keyword) => names(keyword),
  minProperties: wholeNumber,
  maxProperties: wholeNumber,
  unevaluatedProperties: single,
  dependentRequired: (keyword) => [
    ...keyword.node.dependentRequired,
    ...entries(keyword).map(([name, needed]) => [name, names(keyword, needed, name)] as const),
  ],
  dependentSchemas: (keyword) => [...keyword.node.dependentSchemas, ...named(keyword)],
  allOf: several,
  anyOf: several,
  oneOf: several,
  not: single,
};

const readers: Readonly<Record<string, (keyword: Keyword) => void>> = {
  type: readType,
  enum: (keyword) =>
    isArray(keyword.value) ? readValues(keyword, keyword.value) : keyword.wrong("a list of values"),
  const: (keyword) => readValues(keyword, [keyword.value]),
  items: readItems,
  additionalItems: (keyword) => {
    const { schema } = keyword;
    // Has no meaning beside an `items` that is a single schema.
    if (!Object.hasOwn(schema, "items") || !isArray(schema.items)) return;
    keyword.node.items = single(keyword);
  },
  dependencies: readDependencies,
  $ref: readReference,
  $dynamicRef: readReference,
  $recursiveRef: readReference,
  if: readCondition,
  ...Object.fromEntries(
    Object.entries(fields).map(([name, read]) => [
      name,
      (keyword: Keyword) => Object.assign(keyword.node, { [name]: read(keyword) }),
    ]),
  ),
};

/** Reads one keyword into its node, if the keyword is enforced. @throws StrategyError by `wrong` */
export function readKeyword(keyword: Keyword): void {
  if (keyword.name === "$defs" || keyword.name === "definitions") {
    named(keyword);
    return;
  }
  const reader = Object.hasOwn(readers, keyword.name) ? readers[keyword.name] : undefined;
  if (reader === undefined) return;
  reader(keyword);
  keyword.node.keywords++;
}

/** The path of a schema below a keyword; ".." leads to a neighbour of the keyword. */
export function pathBelow(path: string, keyword: string, steps: readonly (string | number)[]): string {
  const [first, ...others] = steps;
  const from = first === ".." ? path : path + pointerStep(keyword);
  return from + (first === ".." ? others : steps).map(pointerStep).join("");
}
