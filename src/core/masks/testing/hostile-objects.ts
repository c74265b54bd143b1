/** Schemas of objects that ask for much work. */
import { count, type Family, inside, names, nested, object } from "./hostile-families.ts";

const all = (allOf: readonly unknown[]) => ({ type: "object", allOf });
const when = (test: object, then: object, otherwise = {}) => ({ if: test, then, else: otherwise });
const has = (name: string, value: unknown = 1) => ({
  properties: { [name]: { const: value } },
  required: [name],
});

const conditions = (size: number) =>
  all(names(size).map((name) => when(has(name), { required: [`${name}b`] })));
const choicesOfOne = (size: number) =>
  all(
    names(size).map((name) => ({
      anyOf: [{ properties: { [name]: { minimum: 1 } } }, { properties: { [name]: { maxLength: 1 } } }],
    })),
  );
const pigeonholes = (birds: number) =>
  object(
    count(birds).flatMap(
      (bird) =>
        [
          [`a${bird}`, { anyOf: count(birds - 1).map((place) => ({ required: [`p${bird}_${place}`] })) }],
          ...count(birds - 1).map(
            (place) =>
              [
                `p${bird}_${place}`,
                {
                  properties: object(
                    count(birds).flatMap((other) => (other === bird ? [] : [[`p${other}_${place}`, false]])),
                  ),
                },
              ] as const,
          ),
        ] as [string, unknown][],
    ),
  );
export const hostileObjects: readonly Family<object>[] = [
  ["conditions", [10, 30, 60, 200], (size) => inside(conditions(size))],
  [
    "conditions with else",
    [8, 16, 40],
    (size) =>
      all(names(size).map((name) => when(has(name), { required: [`${name}b`] }, { required: [`${name}c`] }))),
  ],
  [
    "conditions in conditions",
    [5, 12, 100],
    (size) =>
      nested(size, (inner) => ({ type: "object", ...when(has("a"), inner, { required: ["b"] }) }), {}),
  ],
  ["choices of two schemas of a property", [5, 8, 14, 40], (size) => inside(choicesOfOne(size))],
  [
    "dependentRequired",
    [10, 50, 200],
    (size) =>
      inside({ type: "object", dependentRequired: object(names(size).map((name) => [name, [`${name}b`]])) }),
  ],
  [
    "dependentRequired in a ring",
    [10, 100],
    (size) => ({
      type: "object",
      dependentRequired: object(names(size).map((name, index) => [name, [`p${(index + 1) % size}`]])),
    }),
  ],
  [
    "names that share few places",
    [5, 7, 9, 12],
    (size) => ({
      type: "object",
      additionalProperties: false,
      properties: object(Object.keys(pigeonholes(size)).map((name) => [name, { const: 0 }])),
      dependentSchemas: pigeonholes(size),
    }),
  ],
  [
    "oneOf of typed properties in an open object",
    [7, 20, 60],
    (size) => ({
      type: "object",
      oneOf: names(size).map((name) => ({ properties: { [name]: { type: "string" } }, required: [name] })),
    }),
  ],
  [
    "discriminated",
    [19, 100, 400],
    (size) => ({
      oneOf: names(size).map((name) => ({
        type: "object",
        properties: { kind: { const: name }, [name]: { type: "integer" } },
        required: ["kind", name],
      })),
    }),
  ],
  [
    "oneOf of open objects",
    [6, 12, 40],
    (size) => ({
      oneOf: names(size).map((name) => ({ type: "object", properties: { [name]: { type: "integer" } } })),
    }),
  ],
  [
    "not of many properties",
    [10, 50],
    (size) => all(names(size).map((name) => ({ not: { properties: { [name]: { type: "string" } } } }))),
  ],
  [
    "patternProperties",
    [5, 10, 30, 100],
    (size) =>
      inside({
        type: "object",
        patternProperties: object(names(size).map((name) => [name, { type: "string" }])),
      }),
  ],
  [
    "patternProperties far from the end",
    [12, 20, 40],
    (size) => ({
      type: "object",
      patternProperties: { [`^.*a.{${size}}$`]: true },
      additionalProperties: { type: "integer" },
    }),
  ],
  [
    "propertyNames and minProperties",
    [3, 9, 100, 1000],
    (size) => ({
      type: "object",
      propertyNames: { pattern: "^[a-c]{1,2}$" },
      minProperties: size,
    }),
  ],
  ["minProperties", [1, 50, 1000, 1_000_000], (size) => ({ type: "object", minProperties: size })],
  [
    "values with at least two properties",
    [1, 50],
    (size) => ({
      additionalProperties: { not: { maxProperties: size } },
    }),
  ],
  ["an item with few properties", [2, 50], (size) => ({ not: { items: { minProperties: size } } })],
  ["required names", [100, 2000, 10_000], (size) => ({ type: "object", required: names(size) })],
  [
    "properties in any order",
    [100, 2000],
    (size) => ({
      type: "object",
      properties: object(names(size).map((name) => [name, { type: "integer" }])),
    }),
  ],
  [
    "unevaluatedProperties under choices",
    [5, 10, 30],
    (size) => ({
      type: "object",
      unevaluatedProperties: false,
      anyOf: names(size).map((name) => ({ properties: { [name]: { type: "integer" } } })),
    }),
  ],
  [
    "a name that is empty",
    [1],
    () => ({
      type: "object",
      ...when({ properties: { x: {} }, required: ["x"] }, {}, { properties: { "": {}, z: {} } }),
    }),
  ],
  [
    "required or not, closed by a pattern",
    [3, 5],
    (size) => ({
      type: "object",
      patternProperties: { "^[a-e]$": {} },
      additionalProperties: false,
      minProperties: size,
      anyOf: [{ properties: { a: false } }, { required: ["b"] }],
    }),
  ],
];
