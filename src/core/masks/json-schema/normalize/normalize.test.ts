import { expect, test } from "vitest";
import { ConstraintLimitError, StrategyError } from "../../strategy-error.ts";
import { validatorOf } from "../../testing/ajv.ts";
import type { Dialect } from "../../testing/cases.ts";
import type { Alternative, Json, SchemaHandle } from "../normal-form.ts";
import { knownFormats } from "../scalars/formats.ts";
import { matchesFormat } from "../scalars/scalars.ts";
import { formatSamples } from "../scalars/string-possible.ts";
import { acceptsNormal } from "../testing/accepts-normal.ts";
import { isValid } from "../testing/is-valid.ts";
import { normalizeSchema as normalizeDocument } from "./normalize.ts";

const normalizeSchema = (schema: unknown) => normalizeDocument(schema).root;

const infinity = Number.POSITIVE_INFINITY;

/** A handle as its first alternatives, in short: what is not asked for is left out. */
function shown(handle: SchemaHandle, depth = 2): unknown {
  return handle.normal().map((alternative) => short(alternative, depth));
}

function short(alternative: Alternative, depth: number): unknown {
  const kept = Object.entries(alternative).flatMap(([name, value]): [string, unknown][] => {
    const isLeftOut =
      name === "both" ||
      name === "ways" ||
      value === false ||
      value === null ||
      Math.abs(value) === infinity ||
      (name.startsWith("min") && value === 0) ||
      (Array.isArray(value) && value.length === 0) ||
      ((name === "rest" || name === "additional") && isAnything(value)) ||
      ((value instanceof Set || value instanceof Map) && value.size === 0);
    return isLeftOut ? [] : [[name, shortField(value, depth)]];
  });
  return alternative.type === "literal" ? { is: alternative.value } : Object.fromEntries(kept);
}

function shortField(value: unknown, depth: number): unknown {
  if (value instanceof Set) return [...value];
  if (value instanceof Map) {
    return Object.fromEntries([...value].map(([name, handle]) => [name, shortField(handle, depth)]));
  }
  if (Array.isArray(value)) return value.map((item) => shortField(item, depth));
  if (typeof value !== "object" || value === null) return value;
  if ("normal" in value) return depth > 0 ? shown(value as SchemaHandle, depth - 1) : "…";
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shortField(item, depth)]));
}

function isAnything(value: unknown): boolean {
  return typeof value === "object" && value !== null && "key" in value && value.key === "";
}

const anything = [
  { type: "null" },
  { type: "boolean" },
  { type: "number" },
  { type: "string" },
  { type: "array" },
  { type: "object" },
];

test.each<[what: string, schema: unknown, normal: unknown]>([
  ["true", true, anything],
  ["false", false, []],
  ["no keyword", { title: "x", default: 5, examples: [], $comment: "", "x-y": {}, unknown: 1 }, anything],
  ["a type", { type: "string" }, [{ type: "string" }]],
  ["types", { type: ["string", "null"] }, [{ type: "null" }, { type: "string" }]],
  ["integer", { type: "integer" }, [{ type: "number", integer: true }]],
  ["integer beside number", { type: ["integer", "number"] }, [{ type: "number" }]],
  ["enum", { enum: [1, "a", null] }, [{ is: 1 }, { is: "a" }, { is: null }]],
  ["enum, filtered", { type: "string", enum: [1, "a", "abc"], maxLength: 2 }, [{ is: "a" }]],
  ["const beside enum", { const: 2, enum: [1, 2, 3] }, [{ is: 2 }]],
  ["one boolean", { type: "boolean", not: { const: true } }, [{ is: false }]],
  ["no value twice", { anyOf: [{ enum: [1, 2] }, { enum: [2, 3] }] }, [{ is: 1 }, { is: 2 }, { is: 3 }]],
  [
    "bounds, the tighter",
    { type: "number", minimum: 1, allOf: [{ exclusiveMinimum: 1 }, { maximum: 5 }, { exclusiveMaximum: 6 }] },
    [{ type: "number", minimum: 1, exclusiveMinimum: true, maximum: 5 }],
  ],
  ["bounds that leave nothing", { type: "number", minimum: 3, exclusiveMaximum: 3 }, []],
  ["no integer between", { type: "integer", exclusiveMinimum: 1, exclusiveMaximum: 2 }, []],
  ["no multiple between", { type: "number", minimum: 11, maximum: 19, multipleOf: 10 }, []],
  [
    "not minimum",
    { type: "number", not: { minimum: 3 } },
    [{ type: "number", maximum: 3, exclusiveMaximum: true }],
  ],
  ["not integer", { type: "number", not: { type: "integer" } }, [{ type: "number", notMultipleOf: [1] }]],
  ["not type", { not: { type: ["null", "object", "array", "string", "number"] } }, [{ type: "boolean" }]],
  ["not enum", { type: "string", not: { enum: ["a", 1] } }, [{ type: "string", except: ["a"] }]],
  ["not pattern", { type: "string", not: { pattern: "^a" } }, [{ type: "string", notPatterns: ["^a"] }]],
  [
    "not both lengths",
    { type: "string", not: { minLength: 2, maxLength: 3 } },
    [
      { type: "string", maxLength: 1 },
      { type: "string", minLength: 4 },
    ],
  ],
  ["impossible lengths", { type: "string", minLength: 3, maxLength: 2 }, []],
  ["impossible pattern", { type: "string", pattern: "^a{3}$", maxLength: 2 }, []],
  [
    "possible pattern",
    { type: "string", pattern: "^a*$", minLength: 3 },
    [{ type: "string", minLength: 3, patterns: ["^a*$"] }],
  ],
  ["patterns at odds", { type: "string", allOf: [{ pattern: "^a" }, { pattern: "^b" }] }, []],
  ["unknown format", { type: "string", format: "colour" }, [{ type: "string" }]],
  ["known format", { type: "string", format: "uuid" }, [{ type: "string", formats: ["uuid"] }]],
  [
    "properties, then required ones",
    {
      type: "object",
      properties: { a: { type: "null" } },
      required: ["b"],
      additionalProperties: { type: "string" },
    },
    [
      {
        type: "object",
        properties: { a: [{ type: "null" }], b: [{ type: "string" }] },
        required: ["b"],
        additional: [{ type: "string" }],
        minProperties: 1,
      },
    ],
  ],
  [
    "additionalProperties meets what the others declare",
    {
      type: "object",
      allOf: [
        { properties: { a: true }, additionalProperties: false },
        { properties: { a: { type: "null" }, b: true } },
      ],
    },
    [{ type: "object", properties: { a: [{ type: "null" }], b: [] }, additional: [] }],
  ],
  [
    "patterns meet declared names",
    {
      type: "object",
      properties: { ab: { type: ["null", "string"] } },
      patternProperties: { "^a": { type: "null" } },
    },
    [
      {
        type: "object",
        properties: { ab: [{ type: "null" }] },
        patterns: [{ pattern: "^a", schema: [{ type: "null" }] }],
      },
    ],
  ],
  [
    "propertyNames meets declared names",
    { type: "object", properties: { a: true, b: true }, propertyNames: { const: "a" } },
    [{ type: "object", properties: { a: anything, b: [] }, names: [{ is: "a" }] }],
  ],
  ["required and impossible", { type: "object", properties: { a: false }, required: ["a"] }, []],
  [
    "too few names",
    { type: "object", properties: { a: true }, additionalProperties: false, minProperties: 2 },
    [],
  ],
  ["too many names", { type: "object", required: ["a", "b"], maxProperties: 1 }, []],
  [
    "not required",
    { type: "object", not: { required: ["a", "b"] } },
    [
      { type: "object", properties: { a: [] } },
      { type: "object", properties: { b: [] } },
    ],
  ],
  [
    "not a property",
    { type: "object", not: { properties: { a: { type: "null" } }, required: ["a"] }, required: ["a"] },
    [
      {
        type: "object",
        properties: {
          a: [
            { type: "boolean" },
            { type: "number" },
            { type: "string" },
            { type: "array" },
            { type: "object" },
          ],
        },
        required: ["a"],
        minProperties: 1,
      },
    ],
  ],
  [
    "not closed, inside of a closed one",
    {
      type: "object",
      properties: { a: { const: 1 }, b: { const: 2 } },
      additionalProperties: false,
      not: { properties: { a: true }, additionalProperties: false },
    },
    [
      {
        type: "object",
        properties: { a: [{ is: 1 }], b: [{ is: 2 }] },
        required: ["b"],
        additional: [],
        minProperties: 1,
      },
    ],
  ],
  [
    "dependentRequired",
    { type: "object", dependentRequired: { a: ["b"] } },
    [
      { type: "object", properties: { a: [] } },
      { type: "object", properties: { a: anything, b: anything }, required: ["a", "b"], minProperties: 2 },
    ],
  ],
  [
    "items cut short",
    { type: "array", prefixItems: [{ type: "null" }, false], items: { type: "string" } },
    [{ type: "array", prefix: [[{ type: "null" }]], maxItems: 1 }],
  ],
  ["items impossible", { type: "array", items: false, minItems: 1 }, []],
  [
    "prefixes item by item",
    { type: "array", prefixItems: [{ const: 1 }], allOf: [{ items: { type: "number" } }] },
    [{ type: "array", prefix: [[{ is: 1 }]], rest: [{ type: "number" }] }],
  ],
  [
    "contains",
    { type: "array", contains: { const: 1 }, minContains: 2, maxContains: 3, items: { enum: [1, 2] } },
    [
      {
        type: "array",
        rest: [{ is: 1 }, { is: 2 }],
        contains: [
          {
            items: [{ is: 1 }],
            others: [
              { type: "null" },
              { type: "boolean" },
              { type: "number", except: [1] },
              { type: "string" },
              { type: "array" },
              { type: "object" },
            ],
            min: 2,
            max: 3,
          },
        ],
      },
    ],
  ],
  ["contains what cannot be there", { type: "array", contains: { const: 1 }, items: { const: 2 } }, []],
  ["contains more than fit", { type: "array", contains: { const: 1 }, minContains: 3, maxItems: 2 }, []],
  [
    "contains at odds",
    { type: "array", maxItems: 1, allOf: [{ contains: { const: 1 } }, { contains: { const: 2 } }] },
    [],
  ],
  [
    "none contained",
    { type: "array", items: { enum: [1, 2] }, not: { contains: { const: 1 } } },
    [{ type: "array", rest: [{ is: 2 }] }],
  ],
  [
    "unique and listed",
    { type: "array", items: { enum: ["a", "b"] }, uniqueItems: true },
    [{ type: "array", rest: [{ is: "a" }, { is: "b" }], maxItems: 2, unique: true }],
  ],
  [
    "unique and few texts: no more items than those",
    { type: "array", items: { type: "string", pattern: "^[a-z]{2}$" }, uniqueItems: true },
    [{ type: "array", rest: [{ type: "string", patterns: ["^[a-z]{2}$"] }], maxItems: 676, unique: true }],
  ],
  [
    "unique and fewer texts than items",
    { type: "array", items: { type: "string", pattern: "^[a-z]{2}$" }, uniqueItems: true, minItems: 677 },
    [],
  ],
  ["unique and too many", { type: "array", items: { type: "boolean" }, uniqueItems: true, minItems: 3 }, []],
  ["unique and alone", { type: "array", uniqueItems: true, maxItems: 1 }, [{ type: "array", maxItems: 1 }]],
  [
    "not const, of an array",
    { type: "array", minItems: 1, maxItems: 1, not: { const: [1] } },
    [
      {
        type: "array",
        prefix: [
          [
            { type: "null" },
            { type: "boolean" },
            { type: "number", except: [1] },
            { type: "string" },
            { type: "array" },
            { type: "object" },
          ],
        ],
        minItems: 1,
        maxItems: 1,
      },
    ],
  ],
  [
    "oneOf of members apart needs no negation",
    { oneOf: [{ type: "string" }, { type: "null" }] },
    [{ type: "null" }, { type: "string" }],
  ],
  [
    "oneOf of members that overlap",
    { type: "number", oneOf: [{ minimum: 1 }, { maximum: 5 }] },
    [
      { type: "number", minimum: 5, exclusiveMinimum: true },
      { type: "number", maximum: 1, exclusiveMaximum: true },
    ],
  ],
  ["oneOf with one member twice", { oneOf: [{ type: "null" }, { type: "null" }] }, []],
  [
    "if, then, else",
    // biome-ignore lint/suspicious/noThenProperty: a keyword of schemas.
    { type: "number", if: { minimum: 5 }, then: { multipleOf: 2 }, else: { multipleOf: 3 } },
    [
      { type: "number", minimum: 5, multipleOf: [2] },
      { type: "number", maximum: 5, exclusiveMaximum: true, multipleOf: [3] },
    ],
  ],
  [
    "unevaluatedProperties beside allOf",
    { type: "object", allOf: [{ properties: { a: { const: 1 } } }], unevaluatedProperties: false },
    [{ type: "object", properties: { a: [{ is: 1 }] }, additional: [] }],
  ],
  [
    "unevaluatedItems beside $ref",
    {
      type: "array",
      $ref: "#/$defs/x",
      unevaluatedItems: false,
      $defs: { x: { prefixItems: [{ const: 1 }] } },
    },
    [{ type: "array", prefix: [[{ is: 1 }]], maxItems: 1 }],
  ],
  [
    "recursion that never ends",
    { type: "object", properties: { next: { $ref: "#" } }, required: ["next"] },
    [],
  ],
  [
    "recursion that ends by one branch",
    {
      anyOf: [
        {
          type: "object",
          properties: { next: { $ref: "#" } },
          required: ["next"],
          additionalProperties: false,
        },
        { const: 0 },
      ],
    },
    [
      { is: 0 },
      {
        type: "object",
        properties: { next: [{ is: 0 }, "…"] },
        required: ["next"],
        additional: [],
        minProperties: 1,
      },
    ].map((each) => ("is" in each ? each : expect.objectContaining({ type: "object", required: ["next"] }))),
  ],
  [
    "two that never end without one another",
    {
      $ref: "#/$defs/a",
      $defs: {
        a: { type: "object", properties: { b: { $ref: "#/$defs/b" } }, required: ["b"] },
        b: { type: "array", items: { $ref: "#/$defs/a" }, minItems: 1 },
      },
    },
    [],
  ],
])("%s", (_what, schema, normal) => {
  expect(shown(normalizeSchema(schema))).toEqual(normal);
});

test.each<[schema: Json, orders: string[]]>([
  [{ properties: { b: true, a: true }, required: ["c", "a"] }, ["bac"]],
  [{ allOf: [{ properties: { c: true } }], properties: { b: true, a: true } }, ["bac"]],
  [
    {
      oneOf: [
        { properties: { a: { const: 1 } }, required: ["a"] },
        { properties: { b: true }, required: ["b"] },
      ],
    },
    ["ab", "ab", "ab"],
  ],
  [
    {
      anyOf: [
        { properties: { k: { const: 1 }, x: true, y: true } },
        { properties: { k: { const: 2 }, y: true, x: true } },
      ],
    },
    ["kxy", "kyx"],
  ],
  [{ properties: { a: true, b: true, c: true }, not: { required: ["b"] } }, ["abc"]],
])("names stand as the schema lists them: %j", (schema, orders) => {
  const found = normalizeSchema({ type: "object", ...(schema as object) })
    .normal()
    .map((alternative) => (alternative.type === "object" ? [...alternative.properties.keys()].join("") : ""));
  expect(new Set(found)).toEqual(new Set(orders));
});

test("conjunctions are found again: recursion has finitely many handles", () => {
  const handle = normalizeSchema({
    type: "object",
    properties: { left: { $ref: "#" }, right: { allOf: [{ $ref: "#" }] } },
    additionalProperties: false,
  });
  const keys = new Set([handle.key]);
  const waiting = [handle];
  for (const one of waiting) {
    for (const alternative of one.normal()) {
      if (alternative.type !== "object") continue;
      for (const child of alternative.properties.values()) {
        if (!keys.has(child.key)) waiting.push(child);
        keys.add(child.key);
      }
    }
  }
  expect(keys.size).toBeLessThanOrEqual(3);
  expect(handle.normal()).toBe(handle.normal());
});

/** Errors say where, and with which value. */
test.each<[path: string, schema: unknown, reason: string | RegExp]>([
  ["#", 5, "a schema is an object, true or false, not 5"],
  ["#/type", { type: 5 }, /must be one of null, boolean.*not 5/],
  ["#/type", { type: ["strin"] }, /must be one of null/],
  ["#/properties/a/minLength", { properties: { a: { minLength: "3" } } }, 'not "3"'],
  ["#/minItems", { minItems: -1 }, "must be a whole number of at least 0, not -1"],
  ["#/multipleOf", { multipleOf: 0 }, "must be a number greater than 0, not 0"],
  ["#/required/1", { required: ["a", 5] }, "must be a property name (a string), not 5"],
  ["#/anyOf", { anyOf: [] }, "must be a list of at least one schema"],
  ["#/allOf/0", { allOf: ["x"] }, 'a schema is an object, true or false, not "x"'],
  ["#/properties", { properties: [] }, "must be an object with a schema for each name"],
  ["#/uniqueItems", { uniqueItems: 1 }, "must be true or false, not 1"],
  ["#/exclusiveMinimum", { exclusiveMinimum: true }, "must be a number, or true beside a numeric minimum"],
  ["#/items", { prefixItems: [], items: [] }, "must be one schema if prefixItems is present"],
  ["#/properties/a~1b~0/pattern", { properties: { "a/b~": { pattern: "(" } } }, /column/],
  ["#/patternProperties/a*(?!b)", { patternProperties: { "a*(?!b)": true } }, /column 3/],
  ["#/const", { const: undefined }, "a schema may contain only JSON values, not undefined"],
  ["#/default", { default: new Date(0) }, /a schema may contain only JSON values/],
  ["#/properties/a/$ref", { properties: { a: { $ref: "#/$defs/b" } } }, 'there is nothing at "#/$defs/b"'],
  ["#/$ref", { $ref: "#name" }, 'there is nothing at "#name"'],
  ["#/$ref", { $ref: "https://example.com/other.json" }, /is in another document; copy it into \$defs/],
  ["#", { $ref: "#" }, /refers back to itself/],
  [
    "#/$defs/a",
    { $ref: "#/$defs/a", $defs: { a: { anyOf: [{ type: "null" }, { not: { $ref: "#/$defs/a" } }] } } },
    /itself/,
  ],
  [
    "#/$dynamicRef",
    { $dynamicRef: "#x", $defs: { a: { $dynamicAnchor: "x" }, b: { $id: "other", $dynamicAnchor: "x" } } },
    /can mean different schemas/,
  ],
  ["#/uniqueItems", { uniqueItems: true }, /only if objects in the items declare their properties/],
  [
    "#/uniqueItems",
    { items: { $ref: "#" }, uniqueItems: true },
    /arrays in the items have no contains, and no uniqueItems unless/,
  ],
  [
    "#/properties/a/uniqueItems",
    { properties: { a: { items: { patternProperties: { a: true } }, uniqueItems: true } } },
    /only if .*patternProperties/,
  ],
  [
    "#/uniqueItems",
    { items: { type: "string" }, contains: { const: "a" }, uniqueItems: true },
    /can be enforced together with contains only if enum or const lists all possible items/,
  ],
  [
    "#/uniqueItems",
    { type: "array", prefixItems: [{ type: "string" }, { const: "a" }], uniqueItems: true },
    /earlier items could use all values of one position/,
  ],
  [
    "#/uniqueItems",
    {
      type: "array",
      prefixItems: [{ type: "string" }],
      items: { pattern: "^[a-z]{2}$", type: "string" },
      uniqueItems: true,
    },
    /use all values/,
  ],
  ["#/not/uniqueItems", { not: { uniqueItems: true, type: "array" } }, /cannot be enforced/],
  [
    "#/not/additionalProperties",
    { not: { type: "object", additionalProperties: { type: "null" } } },
    /set additionalProperties to false/,
  ],
  ["#/not/propertyNames", { not: { type: "object", propertyNames: { maxLength: 2 } } }, /cannot be enforced/],
  [
    "#/not/patternProperties/a",
    { not: { type: "object", patternProperties: { a: { type: "null" } } } },
    /cannot be enforced/,
  ],
  [
    "#/properties/a/items/not/items",
    {
      properties: { a: { items: { type: "array", not: { prefixItems: [true], items: { type: "null" } } } } },
    },
    /"items" after "prefixItems"/,
  ],
  ["#/unevaluatedItems", { contains: { const: 1 }, unevaluatedItems: false }, /beside contains/],
])("refused at %s: %j", (path, schema, reason) => {
  const thrown = errorOf(schema);
  expect(thrown).toBeInstanceOf(StrategyError);
  const { where, reason: given } = thrown as StrategyError;
  expect(where).toBe(path);
  if (typeof reason === "string") expect(given).toContain(reason);
  else expect(given).toMatch(reason);
});

function errorOf(schema: unknown): unknown {
  try {
    normalizeSchema(schema);
  } catch (error) {
    return error;
  }
  return null;
}

test("what is not reached is not refused", () => {
  const unused = { a: { pattern: "(?=x)" }, b: { $ref: "https://example.com/" }, c: { uniqueItems: true } };
  expect(shown(normalizeSchema({ type: "null", $defs: unused }))).toEqual([{ type: "null" }]);
  const dead = { type: "array", maxItems: 0, items: { uniqueItems: true }, not: { uniqueItems: true } };
  expect(() => normalizeSchema(dead)).toThrow(StrategyError);
  expect(shown(normalizeSchema({ ...dead, not: false }))).toEqual([{ type: "array", maxItems: 0 }]);
});

const cyclic: { properties: Record<string, unknown> } = { properties: {} };
cyclic.properties.self = cyclic;
const deep = Array.from({ length: 600 }).reduce((inner) => ({ items: inner }), {});
const many = (make: (index: number) => unknown, length: number) =>
  Array.from({ length }, (_, index) => make(index));
const doubling = Object.fromEntries(
  many((index) => {
    const before = { $ref: `#/$defs/d${index - 1}` };
    return [`d${index}`, index === 0 ? { required: ["x"] } : { oneOf: [before, { not: before }] }];
  }, 60) as [string, unknown][],
);
const chain = Object.fromEntries(
  many(
    (index) => [`d${index}`, { items: { $ref: `#/$defs/d${index + 1}` }, type: "array", minItems: 1 }],
    2_000,
  ) as [string, unknown][],
);

/** Each ends with an error, and before long: the work is counted. */
test.each<[what: string, schema: unknown]>([
  ["an object that holds itself", cyclic],
  ["600 levels", deep],
  [
    "2 ** 30 alternatives",
    { allOf: many((i) => ({ anyOf: [{ minLength: i, pattern: `^a{${i}}` }, { pattern: `b{${i}}` }] }), 30) },
  ],
  [
    "300 members that overlap",
    { oneOf: many((i) => ({ properties: { [`p${i}`]: { maxLength: i } } }), 300) },
  ],
  ["references that double", { $ref: "#/$defs/d59", $defs: doubling }],
  ["values that nest without end", { $ref: "#/$defs/d0", $defs: { ...chain, d2000: { type: "null" } } }],
  [
    "many values, many patterns",
    { enum: many((i) => `v${i}`, 50_000), allOf: many(() => ({ pattern: "v" }), 40) },
  ],
  [
    "many items to count",
    { allOf: many((i) => ({ contains: { multipleOf: i + 2 }, minContains: 60, maxContains: 70 + i }), 6) },
  ],
  ["too many subschemas", { anyOf: many(() => ({ type: "null" }), 30_000) }],
])("too much: %s", (_what, schema) => {
  expect(errorOf(schema)).toBeInstanceOf(ConstraintLimitError);
});

test("each known format has samples that are of it", () => {
  for (const format of knownFormats) {
    for (const text of formatSamples[format] ?? []) {
      expect({ format, text, is: matchesFormat(format, text) }).toEqual({ format, text, is: true });
    }
  }
  expect([...knownFormats].filter((format) => !Object.hasOwn(formatSamples, format))).toEqual([]);
});

interface ReferenceCase {
  readonly what: string;
  readonly dialect: Dialect;
  readonly schema: Json;
  /** ajv 8.20.0 runs out of stack on some. */
  readonly isJudged?: false;
}

/** All of them ask for a number where a reference leads. */
test.each<ReferenceCase>([
  { what: "$defs", dialect: "2020-12", schema: { $ref: "#/$defs/n", $defs: { n: { type: "number" } } } },
  {
    what: "definitions",
    dialect: "draft-07",
    schema: { $ref: "#/definitions/n", definitions: { n: { type: "number" } } },
  },
  {
    what: "~0, ~1 and %",
    dialect: "2020-12",
    schema: { $ref: "#/$defs/a~1b~0%25%20c", $defs: { "a/b~% c": { type: "number" } } },
  },
  {
    what: "an item of a list",
    dialect: "2020-12",
    schema: { anyOf: [{ type: "number" }, { $ref: "#/anyOf/0" }] },
  },
  {
    what: "a place that is no keyword's",
    dialect: "2020-12",
    schema: { $ref: "#/parts/n", parts: { n: { type: "number" } } },
  },
  {
    what: "$anchor",
    dialect: "2020-12",
    schema: { $ref: "#n", $defs: { n: { $anchor: "n", type: "number" } } },
  },
  {
    what: "$dynamicRef",
    isJudged: false,
    dialect: "2020-12",
    schema: { $dynamicRef: "#n", $defs: { n: { $dynamicAnchor: "n", type: "number" } } },
  },
  {
    what: "$id as an anchor",
    dialect: "draft-07",
    schema: { $ref: "#n", definitions: { n: { $id: "#n", type: "number" } } },
  },
  {
    what: "id",
    dialect: "draft-04",
    schema: {
      $schema: "http://json-schema.org/draft-04/schema#",
      $ref: "n.json",
      definitions: { n: { id: "n.json", type: "number" } },
    },
  },
  {
    what: "a relative $id",
    dialect: "2020-12",
    schema: {
      $id: "https://example.com/a/root.json",
      $ref: "b/n.json",
      $defs: { n: { $id: "b/n.json", type: "number" } },
    },
  },
  {
    what: "an $id inside of an $id",
    dialect: "2020-12",
    schema: {
      $id: "https://example.com/root",
      $ref: "/x/y",
      $defs: { x: { $id: "x/", $defs: { y: { $id: "y", type: "number" } } } },
    },
  },
  {
    what: "# of an inner $id",
    isJudged: false,
    dialect: "2020-12",
    schema: {
      $ref: "inner",
      $defs: { inner: { $id: "inner", $ref: "#/$defs/n", $defs: { n: { type: "number" } } } },
    },
  },
  {
    what: "a URN",
    dialect: "2020-12",
    schema: { $ref: "urn:example:n", $defs: { n: { $id: "urn:example:n", type: "number" } } },
  },
  {
    what: "by the root's own name",
    dialect: "2020-12",
    schema: { $id: "https://example.com/r", $ref: "r#/$defs/n", $defs: { n: { type: "number" } } },
  },
  {
    what: "siblings",
    dialect: "2020-12",
    schema: { $ref: "#/$defs/n", type: "number", $defs: { n: { type: ["number", "string"] } } },
  },
  {
    what: "one after another",
    dialect: "2020-12",
    schema: { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/n" }, n: { type: "number" } } },
  },
])("a reference: $what", ({ dialect, schema, isJudged }) => {
  const handle = normalizeSchema(schema);
  expect(shown(handle)).toEqual([{ type: "number" }]);
  if (isJudged === false) return;
  const judge = validatorOf(schema, dialect);
  expect([1, "a"].map((value) => judge(value))).toEqual([true, false]);
});

test("$recursiveRef leads to the root", () => {
  const schema = { $recursiveAnchor: true, type: "array", items: { $recursiveRef: "#" } };
  const judge = validatorOf(schema, "2019-09");
  const handle = normalizeSchema(schema);
  for (const value of [[], [[]], [[1]], 1]) expect(acceptsNormal(handle, value)).toBe(judge(value));
});

/** Keywords of drafts before 2020-12, and keywords that random schemas leave out. */
test.each<[dialect: Dialect, schema: Json, values: readonly Json[]]>([
  ["draft-04", { minimum: 1, exclusiveMinimum: true, maximum: 3, exclusiveMaximum: false }, [0, 1, 2, 3, 4]],
  ["draft-06", { exclusiveMinimum: 1 }, [1, 2]],
  [
    "draft-07",
    { items: [{ type: "number" }], additionalItems: { type: "string" } },
    [[], [1, "a"], ["a"], [1, 1]],
  ],
  ["draft-07", { items: { type: "number" }, additionalItems: false }, [[1, 2], ["a"]]],
  ["draft-07", { items: [{ type: "number" }] }, [[1, 2, "a"], ["a"]]],
  [
    "draft-07",
    { dependencies: { a: ["b"], c: { required: ["d"] } } },
    [{}, { a: 1 }, { a: 1, b: 1 }, { c: 1 }, { c: 1, d: 1 }],
  ],
  // biome-ignore lint/suspicious/noThenProperty: a keyword of schemas.
  ["2020-12", { then: { type: "null" } }, [1, null]],
  ["2020-12", { minContains: 2 }, [[], [1]]],
  ["2020-12", { contains: { type: "null" }, minContains: 0 }, [[], [1]]],
  [
    "2020-12",
    { prefixItems: [{ type: "null" }], unevaluatedItems: { type: "number" } },
    [[null, 1], [null, "a"], [1]],
  ],
  [
    "2020-12",
    { anyOf: [{ prefixItems: [true] }, { prefixItems: [true, { const: 2 }] }], unevaluatedItems: false },
    [[], [1], [1, 2], [1, 3], [1, 2, 3]],
  ],
  [
    "2020-12",
    {
      properties: { a: true },
      if: { required: ["a"] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of schemas.
      then: { properties: { b: true } },
      else: { properties: { c: true } },
      unevaluatedProperties: false,
    },
    [{}, { a: 1 }, { a: 1, b: 1 }, { b: 1 }, { c: 1 }, { a: 1, c: 1 }],
  ],
  [
    "2020-12",
    {
      oneOf: [
        { properties: { a: { const: 1 } }, required: ["a"] },
        { properties: { b: true }, required: ["b"] },
      ],
      unevaluatedProperties: { type: "string" },
    },
    [
      { a: 1 },
      { b: 1 },
      { a: 1, b: "x" },
      { a: 2, b: 1 },
      { a: "x", b: 1 },
      { a: 1, c: "x" },
      { a: 1, c: 1 },
    ],
  ],
  [
    "2020-12",
    {
      dependentSchemas: { a: { properties: { b: true } } },
      properties: { a: true },
      unevaluatedProperties: false,
    },
    [{ a: 1, b: 1 }, { b: 1 }, {}],
  ],
  [
    "2020-12",
    { required: ["__proto__", "constructor"], properties: { constructor: { type: "number" } } },
    [{}, JSON.parse('{"__proto__":1,"constructor":2}')],
  ],
  ["2020-12", { minLength: 2, maxLength: 2 }, ["😀", "😀😀", "ab", "a"]],
  ["2020-12", { enum: [{ a: [1], b: 2 }, [1, { c: null }]] }, [{ b: 2, a: [1] }, [1, { c: null }], [1, {}]]],
  ["2020-12", { multipleOf: 0.01 }, [0.07, 0.075, 1e20]],
  ["2020-12", { const: 0 }, [0, -0, false, null]],
])("%s: %j", (dialect, schema, values) => {
  const judge = validatorOf(schema, dialect);
  const handle = normalizeSchema(schema);
  for (const value of values) {
    const expected = judge(value);
    expect({ value, form: acceptsNormal(handle, value), valid: isValid(value, handle) }).toEqual({
      value,
      form: expected,
      valid: expected,
    });
  }
});
