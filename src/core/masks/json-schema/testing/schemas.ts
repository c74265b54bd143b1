/** Random schemas over all keywords, and values that are near enough to be valid now and then. */
import fc from "fast-check";
import type { Json } from "../normal-form.ts";

const names = ["a", "b", "c", "ab"] as const;
const patterns = ["^a", "b$", "^[ab]*$", "c|1"] as const;
const texts = ["", "a", "b", "ab", "abc", "b1", "2024-02-29"] as const;

const name = fc.constantFrom(...names);
const pattern = fc.constantFrom(...patterns);
const number = fc.constantFrom(-2, -1, 0, 0.5, 1, 1.5, 2, 3, 4, 6);

export const arbitraryJson: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.oneof(fc.constant(null), fc.boolean(), number, fc.constantFrom(...texts)),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3 }).map((object) => ({ ...object })),
  ),
})).value;

type Keywords = Record<string, Json>;
type Part = fc.Arbitrary<Keywords>;

function record(fields: Record<string, fc.Arbitrary<unknown>>): Part {
  return fc.record(fields, { requiredKeys: [], noNullPrototype: true }) as Part;
}

/** ajv 8.20.0 takes [] for valid against `{ prefixItems: [...], contains: ... }`; the specification does not (6.4.5). */
function withoutFault({ prefixItems, ...others }: Keywords): Keywords {
  return prefixItems === undefined || "contains" in others ? others : { ...others, prefixItems };
}

export interface SchemaOptions {
  /** Also the keywords `uniqueItems` and `unevaluatedProperties`, for which many more schemas are refused. */
  readonly refusable: boolean;
}

/** Definitions x and y can be referred to from everywhere. */
export function arbitrarySchemas({ refusable }: SchemaOptions): fc.Arbitrary<Json> {
  const { schema } = fc.letrec<{ schema: Json }>((tie) => {
    const child = tie("schema");
    const children = fc.array(child, { minLength: 1, maxLength: 3 });
    const type = fc.constantFrom("null", "boolean", "integer", "number", "string", "array", "object");
    const count = fc.integer({ min: 0, max: 3 });
    const scalars = [
      record({ minimum: number, maximum: number, multipleOf: fc.constantFrom(0.5, 1, 2, 3) }),
      record({ exclusiveMinimum: number, exclusiveMaximum: number }),
      record({ minLength: count, maxLength: count, pattern }),
      record({ format: fc.constantFrom("date", "unknown") }),
    ];
    const arrays = [
      record({ items: child, minItems: count, maxItems: count }),
      record({ prefixItems: children, items: child }),
      record({ contains: child, minContains: count, maxContains: count }),
      ...(refusable ? [record({ uniqueItems: fc.boolean(), maxItems: count, items: child })] : []),
    ];
    const required = fc.uniqueArray(name, { maxLength: 2 });
    const objects = [
      record({
        properties: fc.dictionary(name, child, { maxKeys: 3 }),
        required,
        additionalProperties: child,
      }),
      record({ properties: fc.dictionary(name, child, { maxKeys: 3 }), required }),
      record({
        patternProperties: fc.dictionary(pattern, child, { maxKeys: 2 }),
        additionalProperties: child,
      }),
      record({ minProperties: count, maxProperties: count }),
      record({
        propertyNames: fc.oneof(
          record({ pattern }),
          record({ enum: fc.subarray([...names], { minLength: 1 }) }),
        ),
      }),
      record({ dependentRequired: fc.dictionary(name, required, { maxKeys: 2 }) }),
      record({ dependentSchemas: fc.dictionary(name, child, { maxKeys: 2 }) }),
      record({ dependencies: fc.dictionary(name, fc.oneof(required, child), { maxKeys: 2 }) }),
    ];
    const combinations = [
      record({ anyOf: children }),
      record({ oneOf: children }),
      record({ allOf: children }),
      record({ not: child }),
      // biome-ignore lint/suspicious/noThenProperty: a keyword of schemas.
      record({ if: child, then: child, else: child }),
      record({ $ref: fc.constantFrom("#/$defs/x", "#/$defs/y") }),
      // Not unevaluatedItems: ajv 8.20.0 passes over `items: {}`, and counts what a failed `if` has looked at.
      ...(refusable ? [record({ unevaluatedProperties: child })] : []),
    ];
    const assertions = [
      record({ type }),
      record({ type: fc.uniqueArray(type, { minLength: 1, maxLength: 3 }) }),
      record({ enum: fc.uniqueArray(arbitraryJson, { minLength: 1, maxLength: 4 }) }),
      record({ const: arbitraryJson }),
    ];
    const part: Part = fc.oneof(
      ...[...assertions, ...scalars, ...arrays, ...objects, ...combinations].map((arbitrary) => arbitrary),
    );
    const merged = fc
      .array(part, { minLength: 1, maxLength: 4 })
      .map((parts) => withoutFault(Object.assign({}, ...parts)));
    return {
      schema: fc.oneof(
        { maxDepth: 3, withCrossShrink: true, depthSize: "small" },
        fc.oneof({ weight: 4, arbitrary: record({ type }) }, { weight: 1, arbitrary: fc.boolean() }),
        merged,
      ) as fc.Arbitrary<Json>,
    };
  });
  return fc
    .tuple(schema, schema, schema)
    .map(([root, x, y]) => (typeof root === "object" ? { ...(root as Keywords), $defs: { x, y } } : root));
}
