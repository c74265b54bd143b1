/** Schemas other than objects that ask for much work: nested schemas, values and lists, strings. */
import { count, type Family, inside, names, nested, object } from "./hostile-families.ts";

/** Each definition mentions the one before twice. */
const doubled = (size: number, pair: (ref: object) => object) => ({
  $ref: `#/$defs/d${size}`,
  $defs: {
    d0: { type: "object" },
    ...object(count(size).map((index) => [`d${index + 1}`, pair({ $ref: `#/$defs/d${index}` })])),
  },
});

export const hostileNesting: readonly Family<object>[] = [
  [
    "arrays in arrays",
    [100, 500, 5000],
    (size) => nested(size, (inner) => ({ type: "array", items: inner })),
  ],
  [
    "objects in objects",
    [100, 500, 5000],
    (size) => nested(size, (inner) => ({ type: "object", properties: { n: inner }, required: ["n"] })),
  ],
  ["not in not", [100, 500], (size) => nested(size, (inner) => ({ not: inner }))],
  [
    "anyOf in anyOf",
    [20, 100, 500],
    (size) => nested(size, (inner) => ({ anyOf: [inner, { type: "null" }] })),
  ],
  [
    "oneOf in oneOf",
    [5, 20, 100],
    (size) => nested(size, (inner) => ({ oneOf: [inner, { type: "array", items: inner, maxItems: 1 }] })),
  ],
  ["allOf doubled", [10, 20, 60], (size) => doubled(size, (ref) => ({ allOf: [ref, ref] }))],
  ["anyOf doubled", [10, 20, 60], (size) => doubled(size, (ref) => ({ anyOf: [ref, ref] }))],
  [
    "properties doubled",
    [10, 20, 60],
    (size) =>
      doubled(size, (ref) => ({ type: "object", properties: { a: ref, b: ref }, required: ["a", "b"] })),
  ],
  ["oneOf doubled", [8, 20], (size) => doubled(size, (ref) => ({ oneOf: [ref, { not: ref }] }))],
  ["a reference to itself", [1], () => ({ $ref: "#" })],
  [
    "references in a ring",
    [2, 200],
    (size) => ({
      $ref: "#/$defs/d0",
      $defs: object(count(size).map((index) => [`d${index}`, { $ref: `#/$defs/d${(index + 1) % size}` }])),
    }),
  ],
  [
    "references in a row",
    [500, 2000],
    (size) => ({
      $ref: "#/$defs/d0",
      $defs: object(
        count(size).map((index) => [`d${index}`, index + 1 < size ? { $ref: `#/$defs/d${index + 1}` } : {}]),
      ),
    }),
  ],
  [
    "a tree of itself and allOf",
    [2, 8],
    (size) => ({
      type: "object",
      properties: { a: { allOf: count(size).map(() => ({ $ref: "#" })) }, b: { not: { $ref: "#" } } },
    }),
  ],
];

export const hostileValues: readonly Family<object>[] = [
  ["alternatives", [1000, 20_001], (size) => ({ anyOf: count(size).map((value) => ({ const: value })) })],
  ["enum", [1000, 20_000, 200_000], (size) => ({ enum: count(size).map((index) => `value ${index}`) })],
  [
    "not enum",
    [1000, 20_000],
    (size) => ({ type: "integer", not: { enum: count(size).map((index) => index * index) } }),
  ],
  [
    "tenths without many",
    [1000, 4000],
    (size) => ({
      type: "number",
      allOf: [{ not: { multipleOf: 5 } }, { not: { enum: count(size).map((index) => index / 10) } }],
    }),
  ],
  [
    "ranges of numbers",
    [50, 1000],
    (size) => ({
      anyOf: count(size).map((index) => ({
        type: "number",
        minimum: index * 10,
        exclusiveMaximum: index * 10 + 5,
      })),
    }),
  ],
  [
    "multipleOf",
    [1e-9, 0.0001, 9973, 99_991, 123_456_789, 2 ** 53 - 1],
    (size) => ({ type: "number", multipleOf: size }),
  ],
  [
    "two divisors",
    [97, 9973, 99_991],
    (size) => ({ type: "integer", allOf: [{ multipleOf: size }, { multipleOf: size - 2 }] }),
  ],
  [
    "not a multiple",
    [97, 9973, 99_991],
    (size) => ({
      type: "integer",
      not: { anyOf: [{ multipleOf: size }, { multipleOf: size - 2 }, { multipleOf: size - 6 }] },
    }),
  ],
  ["bounds", [1e308, 5e-324, 1e21], (size) => ({ type: "number", minimum: -size, exclusiveMaximum: size })],
  ["contains", [10, 900, 1500], (size) => ({ type: "array", contains: { const: 1 }, minContains: size })],
  [
    "several contains",
    [3, 5, 7, 12],
    (size) => ({
      type: "array",
      allOf: count(size).map((value) => ({ contains: { const: value } })),
    }),
  ],
  [
    "contains with counts",
    [10, 60, 100],
    (size) => ({
      type: "array",
      allOf: [2, 3, 5].map((multipleOf) => ({
        contains: { multipleOf },
        minContains: size,
        maxContains: size + 9,
      })),
    }),
  ],
  ["items", [1000, 1_000_000], (size) => ({ type: "array", items: { type: "integer" }, minItems: size })],
  [
    "items that differ",
    [10, 200, 1000],
    (size) => ({
      type: "array",
      items: { enum: count(size) },
      minItems: size,
      uniqueItems: true,
    }),
  ],
  [
    "objects that differ",
    [3, 8],
    (size) => ({
      type: "array",
      uniqueItems: true,
      minItems: 2 ** size,
      items: {
        type: "object",
        properties: object(names(size).map((name) => [name, { type: "boolean" }])),
        required: names(size),
        additionalProperties: false,
      },
    }),
  ],
];

export const hostileStrings: readonly Family<object>[] = [
  [
    "minLength with a pattern",
    [100, 50_000, 1_000_000],
    (size) => ({ type: "string", minLength: size, pattern: "^[a-z]" }),
  ],
  ["maxLength", [5000, 1_000_000_000], (size) => ({ type: "string", maxLength: size })],
  [
    "up to many words",
    [99, 999],
    (size) =>
      inside({
        type: "string",
        minLength: 1,
        maxLength: 5000,
        pattern: `^$|(^(?:\\S+\\s+){0,${size}}\\S+$)`,
      }),
  ],
  [
    "patterns of one string",
    [6, 8, 12, 40],
    (size) => ({
      type: "string",
      allOf: count(size).map((index) => ({
        pattern: String.fromCharCode(97 + (index % 26), 98 + (index % 7)),
      })),
    }),
  ],
  [
    "two patterns of one string with counts",
    [9, 19],
    (size) => ({ type: "string", allOf: [{ pattern: `a.{${size}}b` }, { pattern: `c.{${size}}d` }] }),
  ],
  [
    "not patterns",
    [4, 12],
    (size) => ({
      type: "string",
      minLength: 30,
      allOf: count(size).map((index) => ({ not: { pattern: `${String.fromCharCode(97 + index)}.{9}b` } })),
    }),
  ],
  [
    "lengths that share no multiple",
    [2, 5],
    (size) => ({
      type: "string",
      minLength: 1,
      allOf: [7, 11, 13, 17, 19].slice(0, size).map((step) => ({ pattern: `^(a{${step}})*$` })),
    }),
  ],
  [
    "a format with patterns",
    [1, 3],
    (size) => ({
      type: "string",
      format: "regex",
      allOf: count(size).map((index) => ({ pattern: `${String.fromCharCode(97 + index)}.{${index + 8}}z` })),
    }),
  ],
  [
    "two formats",
    [10, 1000],
    (size) => ({ type: "string", allOf: [{ format: "uri" }, { format: "iri-reference" }], minLength: size }),
  ],
];
