/** A schema as it was read: every keyword is checked, and `linkSchema` follows the references later. */

import type { Json } from "../normal-form.ts";
import { allTypes, canonicalText } from "./json-value.ts";

export interface PatternNode {
  readonly pattern: string;
  readonly node: SchemaNode;
}

/** A reference as written, and the keyword that holds it. */
export interface SchemaReference {
  readonly keyword: "$ref" | "$dynamicRef" | "$recursiveRef";
  readonly text: string;
}

const none: readonly never[] = Object.freeze([]);

/**
 * One schema at one place of the document. A field is the value of its keyword; if the keyword is absent, the field has a value
 * that allows everything.
 */
export class SchemaNode {
  /** The value of a schema that is `true` or `false`; null for an object. */
  always: boolean | null = null;
  /** Bits of `typeBits`. */
  types: number = allTypes;
  integer = false;
  /** The allowed values: of `enum`, of `const`, or those in both; null if all values are allowed. */
  values: readonly Json[] | null = null;

  minimum = Number.NEGATIVE_INFINITY;
  exclusiveMinimum = Number.NEGATIVE_INFINITY;
  maximum = Number.POSITIVE_INFINITY;
  exclusiveMaximum = Number.POSITIVE_INFINITY;
  multipleOf: number | null = null;

  minLength = 0;
  maxLength = Number.POSITIVE_INFINITY;
  pattern: string | null = null;
  format: string | null = null;

  prefixItems: readonly SchemaNode[] = none;
  items: SchemaNode | null = null;
  contains: SchemaNode | null = null;
  minContains = 1;
  maxContains = Number.POSITIVE_INFINITY;
  minItems = 0;
  maxItems = Number.POSITIVE_INFINITY;
  uniqueItems = false;
  unevaluatedItems: SchemaNode | null = null;

  properties: ReadonlyMap<string, SchemaNode> | null = null;
  patternProperties: readonly PatternNode[] = none;
  additionalProperties: SchemaNode | null = null;
  propertyNames: SchemaNode | null = null;
  required: readonly string[] = none;
  minProperties = 0;
  maxProperties = Number.POSITIVE_INFINITY;
  unevaluatedProperties: SchemaNode | null = null;
  dependentRequired: readonly (readonly [name: string, required: readonly string[]])[] = none;
  dependentSchemas: readonly (readonly [name: string, node: SchemaNode])[] = none;

  references: readonly SchemaReference[] = none;
  /** The schemas that the references lead to; filled when they are followed. */
  targets: readonly SchemaNode[] = none;
  allOf: readonly SchemaNode[] = none;
  anyOf: readonly SchemaNode[] = none;
  oneOf: readonly SchemaNode[] = none;
  not: SchemaNode | null = null;
  /** `if`, `then`, `else`. */
  condition: {
    readonly test: SchemaNode;
    readonly yes: SchemaNode | null;
    readonly no: SchemaNode | null;
  } | null = null;

  #keys: ReadonlySet<string> | undefined;

  /** The number of enforced keywords that were read. */
  keywords = 0;
  /** Whether the references have been followed. */
  linked = false;

  constructor(
    /** Unique in its document, from 1. */
    readonly id: number,
    /** A JSON pointer as a URI fragment: "#/properties/age". */
    readonly path: string,
    /** The URI of the schema resource that contains this schema. */
    readonly base: string,
  ) {}

  /** `values` by their canonical texts. */
  get keys(): ReadonlySet<string> {
    this.#keys ??= new Set(this.values?.map(canonicalText));
    return this.#keys;
  }

  /** The schemas that are applied to the same value. */
  inPlace(): SchemaNode[] {
    return [
      ...this.targets,
      ...this.allOf,
      ...this.anyOf,
      ...this.oneOf,
      ...(this.not === null ? none : [this.not]),
      ...(this.condition === null
        ? none
        : [this.condition.test, this.condition.yes, this.condition.no].filter((node) => node !== null)),
      ...this.dependentSchemas.map(([, node]) => node),
    ];
  }

  /** The schemas that are applied to parts of the value. */
  parts(): SchemaNode[] {
    const single = [
      this.items,
      this.contains,
      this.unevaluatedItems,
      this.additionalProperties,
      this.propertyNames,
      this.unevaluatedProperties,
    ].filter((node) => node !== null);
    return [
      ...this.prefixItems,
      ...(this.properties?.values() ?? none),
      ...this.patternProperties.map(({ node }) => node),
      ...single,
    ];
  }
}

/** The schemas and all schemas that they apply to the same value, each once. */
export function* withSchemasInPlace(schemas: Iterable<SchemaNode>): Generator<SchemaNode> {
  const found = new Set(schemas);
  for (const node of found) {
    yield node;
    for (const next of node.inPlace()) found.add(next);
  }
}
