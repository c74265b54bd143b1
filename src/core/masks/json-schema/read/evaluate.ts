/** Decides whether a value is valid, keyword by keyword as the specification says, for a schema that was read and linked. */
import type { EffortMeter } from "../effort.ts";
import type { Json } from "../normal-form.ts";
import { decimalOf, isMultiple } from "../scalars/decimal.ts";
import { knownFormats } from "../scalars/formats.ts";
import { matchesFormat, matchesPattern } from "../scalars/scalars.ts";
import { canonicalText, isArray, isObject, type JsonObject, typeBits, typeOf } from "./json-value.ts";
import type { SchemaNode } from "./schema-node.ts";

/** The effort, in units, of matching a text with a pattern or a format. */
const TEXT = 20;

/** The properties and items that were evaluated, for `unevaluatedProperties` and `unevaluatedItems`. */
class Evaluated {
  readonly names = new Set<string>();
  readonly items = new Set<number>();

  add(other: Evaluated): void {
    for (const name of other.names) this.names.add(name);
    for (const index of other.items) this.items.add(index);
  }
}

/** @throws ConstraintLimitError if it takes too long */
export function isValidFor(node: SchemaNode, value: Json, effort: EffortMeter): boolean {
  return new Evaluation(effort).check(node, value, new Evaluated());
}

class Evaluation {
  readonly #effort: EffortMeter;

  constructor(effort: EffortMeter) {
    this.#effort = effort;
  }

  check(node: SchemaNode, value: Json, seen: Evaluated): boolean {
    this.#effort.spend(node.pattern === null && node.format === null ? 1 : TEXT);
    if (node.always !== null) return node.always;
    if ((node.types & typeBits[typeOf(value)]) === 0) return false;
    if (node.values !== null && !node.keys.has(canonicalText(value))) return false;
    const own = new Evaluated();
    const isValid = this.#typed(node, value, own) && this.#combined(node, value, own);
    if (!isValid || !this.#unevaluated(node, value, own)) return false;
    seen.add(own);
    return true;
  }

  #typed(node: SchemaNode, value: Json, seen: Evaluated): boolean {
    if (typeof value === "number") return isNumberValid(node, value);
    if (typeof value === "string") return isStringValid(node, value);
    if (isArray(value)) return this.#array(node, value, seen);
    return !isObject(value) || this.#object(node, value, seen);
  }

  /** Evaluates a nested value: the properties and items inside it do not count for the outer value. */
  #inside(node: SchemaNode, value: Json): boolean {
    return this.check(node, value, new Evaluated());
  }

  #array(node: SchemaNode, value: readonly Json[], seen: Evaluated): boolean {
    if (value.length < node.minItems || value.length > node.maxItems) return false;
    for (const [index, item] of value.entries()) {
      const schema = node.prefixItems[index] ?? node.items;
      if (schema === null) continue;
      seen.items.add(index);
      if (!this.#inside(schema, item)) return false;
    }
    if (node.contains !== null && !this.#contains(node, node.contains, value, seen)) return false;
    return !node.uniqueItems || new Set(value.map(canonicalText)).size === value.length;
  }

  #contains(node: SchemaNode, asked: SchemaNode, value: readonly Json[], seen: Evaluated): boolean {
    let count = 0;
    for (const [index, item] of value.entries()) {
      if (!this.#inside(asked, item)) continue;
      seen.items.add(index);
      count++;
    }
    return count >= node.minContains && count <= node.maxContains;
  }

  #object(node: SchemaNode, value: JsonObject, seen: Evaluated): boolean {
    const names = Object.keys(value);
    const has = (name: string) => Object.hasOwn(value, name);
    if (names.length < node.minProperties || names.length > node.maxProperties) return false;
    if (!node.required.every(has)) return false;
    if (!node.dependentRequired.every(([name, needed]) => !has(name) || needed.every(has))) return false;
    return names.every(
      (name) =>
        (node.propertyNames === null || this.#inside(node.propertyNames, name)) &&
        this.#property(node, name, value[name] as Json, seen),
    );
  }

  #property(node: SchemaNode, name: string, value: Json, seen: Evaluated): boolean {
    const asked: SchemaNode[] = [];
    const own = node.properties?.get(name);
    if (own !== undefined) asked.push(own);
    for (const { pattern, node: schema } of node.patternProperties) {
      if (matchesPattern(pattern, name)) asked.push(schema);
    }
    if (asked.length === 0 && node.additionalProperties !== null) asked.push(node.additionalProperties);
    if (asked.length > 0) seen.names.add(name);
    return asked.every((schema) => this.#inside(schema, value));
  }

  #combined(node: SchemaNode, value: Json, seen: Evaluated): boolean {
    const holds = (child: SchemaNode) => this.check(child, value, seen);
    const count = (children: readonly SchemaNode[]) => children.filter(holds).length;
    if (![...node.targets, ...node.allOf].every(holds)) return false;
    if (node.anyOf.length > 0 && count(node.anyOf) === 0) return false;
    if (node.oneOf.length > 0 && count(node.oneOf) !== 1) return false;
    if (node.not !== null && this.#inside(node.not, value)) return false;
    if (node.condition !== null) {
      const { test, yes, no } = node.condition;
      const branch = holds(test) ? yes : no;
      if (branch !== null && !holds(branch)) return false;
    }
    return node.dependentSchemas.every(
      ([name, child]) => !isObject(value) || !Object.hasOwn(value, name) || holds(child),
    );
  }

  #unevaluated(node: SchemaNode, value: Json, seen: Evaluated): boolean {
    const { unevaluatedItems, unevaluatedProperties } = node;
    if (unevaluatedItems !== null && isArray(value)) {
      for (const [index, item] of value.entries()) {
        if (seen.items.has(index)) continue;
        if (!this.#inside(unevaluatedItems, item)) return false;
        seen.items.add(index);
      }
    }
    if (unevaluatedProperties !== null && isObject(value)) {
      for (const name of Object.keys(value)) {
        if (seen.names.has(name)) continue;
        if (!this.#inside(unevaluatedProperties, value[name] as Json)) return false;
        seen.names.add(name);
      }
    }
    return true;
  }
}

function isNumberValid(node: SchemaNode, value: number): boolean {
  return (
    (!node.integer || Number.isInteger(value)) &&
    value >= node.minimum &&
    value <= node.maximum &&
    value > node.exclusiveMinimum &&
    value < node.exclusiveMaximum &&
    (node.multipleOf === null || isMultiple(decimalOf(value), decimalOf(node.multipleOf)))
  );
}

function isStringValid(node: SchemaNode, value: string): boolean {
  const length = [...value].length;
  if (length < node.minLength || length > node.maxLength) return false;
  if (node.pattern !== null && !matchesPattern(node.pattern, value)) return false;
  return node.format === null || !knownFormats.has(node.format) || matchesFormat(node.format, value);
}
