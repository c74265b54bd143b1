/** The normal form read word for word: says whether an alternative allows a value, as the contract in normal-form.ts says. */

import type {
  Alternative,
  ArrayAlternative,
  Clause,
  Json,
  ObjectAlternative,
  SchemaHandle,
} from "../normal-form.ts";
import { canonicalText, isArray, isObject, type JsonObject } from "../read/json-value.ts";
import { matchesNumber } from "../scalars/number.ts";
import { matchesPattern } from "../scalars/scalars.ts";
import { matchesString } from "../scalars/string.ts";

export function acceptsNormal(handle: SchemaHandle, value: Json): boolean {
  return handle.normal().some((alternative) => accepts(alternative, value));
}

function accepts(alternative: Alternative, value: Json): boolean {
  switch (alternative.type) {
    case "literal":
      return equals(alternative.value, value);
    case "null":
      return value === null;
    case "boolean":
      return typeof value === "boolean";
    case "number":
      return typeof value === "number" && matchesNumber(alternative, value);
    case "string":
      return typeof value === "string" && matchesString(alternative, value);
    case "array":
      return isArray(value) && acceptsArray(alternative, value);
    case "object":
      return isObject(value) && acceptsObject(alternative, value);
  }
}

function acceptsArray(array: ArrayAlternative, value: readonly Json[]): boolean {
  const counts = array.contains.every(({ items, others, min, max }) => {
    const count = value.filter((item) => acceptsNormal(items, item)).length;
    const other = value.filter((item) => acceptsNormal(others, item)).length;
    if (count + other !== value.length)
      throw new Error("An item is valid for both `items` and `others`, or none.");
    return count >= min && count <= max;
  });
  return (
    counts &&
    value.length >= array.minItems &&
    value.length <= array.maxItems &&
    value.every((item, index) => acceptsNormal(array.prefix[index] ?? array.rest, item)) &&
    !(array.unique && value.some((item, index) => value.slice(0, index).some((other) => equals(item, other))))
  );
}

function acceptsObject(object: ObjectAlternative, value: JsonObject): boolean {
  const names = Object.keys(value);
  return (
    names.length >= object.minProperties &&
    names.length <= object.maxProperties &&
    [...object.required].every((name) => Object.hasOwn(value, name)) &&
    object.clauses.every((clause) => clause.some((part) => holds(part, value))) &&
    names.every((name) => {
      const member = value[name] as Json;
      const declared = object.properties.get(name);
      if (declared !== undefined) return acceptsNormal(declared, member);
      if (object.names !== null && !acceptsNormal(object.names, name)) return false;
      const matched = object.patterns.filter(({ pattern }) => matchesPattern(pattern, name));
      if (matched.length === 0) return acceptsNormal(object.additional, member);
      return matched.every(({ schema }) => acceptsNormal(schema, member));
    })
  );
}

function holds(part: Clause[number], object: JsonObject): boolean {
  if (!Object.hasOwn(object, part.name)) return part.absent;
  return part.value !== null && acceptsNormal(part.value, object[part.name] as Json);
}

function equals(a: Json, b: Json): boolean {
  return canonicalText(a) === canonicalText(b);
}
