/** `uniqueItems` where items are objects or arrays: each value has one spelling, and no two items are equal. */
import { expect, test } from "vitest";
import { uniformRandom } from "../../base/random.ts";
import { validatorOf } from "../testing/ajv.ts";
import { formalLanguageOf } from "../testing/walks.ts";
import { compileJsonSchema } from "./compile.ts";
import { plainText } from "./emit/emit-literal.ts";
import type { Json } from "./normal-form.ts";

const person: Json = {
  type: "object",
  properties: { name: { type: "string" }, age: { type: "integer", minimum: 0 } },
  required: ["name"],
};
const pair: Json = {
  type: "array",
  prefixItems: [{ enum: ["x", "y"] }, { type: "number" }],
  items: false,
  minItems: 2,
};
const unique = (items: Json, more: object = {}): Json => ({
  type: "array",
  items,
  uniqueItems: true,
  ...more,
});

const tagged: Json = {
  type: "object",
  properties: { kind: { enum: ["a", "b"] }, tags: { type: "array", items: { type: "string" } } },
  required: ["kind", "tags"],
};
const colored: Json = {
  type: "object",
  properties: { id: { type: "string" }, colors: unique({ enum: ["red", "blue", 1] }, { minItems: 1 }) },
  required: ["id", "colors"],
};
const point: Json = {
  type: "object",
  properties: { x: { type: "number" }, y: { type: "number" } },
  required: ["x"],
};
const placed: Json = {
  type: "object",
  properties: { id: { type: "string" }, at: point },
  required: ["id", "at"],
};

const tree: Json = {
  type: "object",
  properties: { v: { type: "integer" }, of: { type: "array", items: { $ref: "#/$defs/tree" } } },
  required: ["v"],
};

const nested = unique({
  type: ["string", "null", "array", "object"],
  items: { $ref: "#/items" },
  additionalProperties: false,
});

/** Schemas of lists, and items of which some are valid. */
const rows: readonly (readonly [Json, readonly Json[]])[] = [
  [
    unique(person),
    [{ name: "a" }, { name: "a", age: 1 }, { name: "a", age: 2 }, { name: "ab" }, { age: 1 }, "a"],
  ],
  [
    unique({ ...person, additionalProperties: false }, { minItems: 2 }),
    [{ name: "" }, { name: "a" }, { name: "a", age: 0 }],
  ],
  [unique(pair, { minItems: 2 }), [["x", 1], ["x", 1.5], ["y", 1], ["x"], ["y", -2e-7]]],
  [unique({ type: "array", items: { type: "boolean" } }), [[], [true], [true, false], [false], [[]]]],
  [
    unique({ anyOf: [person, pair, { type: "string" }, { type: "null" }] }),
    [{ name: "a" }, ["x", 1], "a", "x", null],
  ],
  [
    unique(tagged),
    [
      { kind: "a", tags: [] },
      { kind: "a", tags: ["x"] },
      { kind: "b", tags: ["x"] },
      { kind: "a", tags: ["x", "y"] },
    ],
  ],
  [
    unique(colored),
    [
      { id: "1", colors: ["red"] },
      { id: "1", colors: ["red", "blue"] },
      { id: "1", colors: ["blue", "red"] },
      { id: "1", colors: ["red", "red"] },
      { id: "2", colors: [1] },
      { id: "2", colors: [] },
    ],
  ],
  [
    unique({ type: "array", items: unique({ type: "boolean" }) }),
    [[], [[true]], [[true, false], []], [[false, true]], [[true, true]]],
  ],
  [
    unique(placed),
    [
      { id: "1", at: { x: 1 } },
      { id: "1", at: { x: 1, y: 2 } },
      { id: "2", at: { x: 1 } },
      { id: "1", at: { y: 1 } },
    ],
  ],
  [
    { prefixItems: [person, { type: "integer" }], items: person, uniqueItems: true, type: "array" },
    [{ name: "a" }, { name: "b", age: 3 }, 1, { name: "c" }],
  ],
  [nested, ["a", "[]", null, {}, [], ["a"], [["a"]], [[], {}], 1]],
  [
    { ...(unique({ $ref: "#/$defs/tree" }) as object), $defs: { tree } },
    [{ v: 1 }, { v: 2 }, { v: 1, of: [] }, { v: 1, of: [{ v: 1 }, { v: 1 }] }, { of: [] }],
  ],
];

test.each(rows)("%j: a list is accepted exactly if it is valid", (schema, items) => {
  const isValid = validatorOf(schema, "2020-12");
  const { accepts } = formalLanguageOf(compileJsonSchema(schema, { whiteSpace: "compact" }));
  const spaced = formalLanguageOf(compileJsonSchema(schema, { whiteSpace: "usual" }));
  let draw = 0;
  let repeated = 0;
  for (let round = 0; round < 60; round++) {
    const length = Math.floor(uniformRandom(3, draw++) * 4);
    const list = Array.from(
      { length },
      () => items[Math.floor(uniformRandom(3, draw++) * items.length)] as Json,
    );
    const text = JSON.stringify(list);
    if (!isValid(list)) repeated++;
    expect([text, accepts(text)]).toEqual([text, isValid(list)]);
    const other = `[${list.map((item) => plainText(item, "spaced")).join(",\n  ")}]`;
    expect([other, spaced.accepts(other)]).toEqual([other, isValid(list)]);
  }
  expect(repeated).toBeGreaterThan(3);
});

test.each([unique(person), unique(pair), unique(colored), nested])(
  "%j: texts on random ways are valid",
  (schema) => {
    const isValid = validatorOf(schema, "2020-12");
    const language = formalLanguageOf(compileJsonSchema(schema));
    let draw = 0;
    for (let walk = 0; walk < 8; walk++) {
      const text = language.randomText(() => uniformRandom(3, draw++), walk * 12);
      expect([text, isValid(JSON.parse(text))]).toEqual([text, true]);
    }
  },
);

test.each<[Json, string, boolean]>([
  [unique(person), '[{"name":"a","age":1},{"name":"a","age":2},{"name":"a"}]', true],
  [unique(person), '[{"name":"a","age":1},{"name":"b"},{"name":"a","age":1}]', false],
  [unique(person), '[{"name":"a"},{"name":"a"}]', false],
  [unique(person), '[{"name":"a"},{"name":"\\u0061"}]', false],
  [unique(person), '[{"name":"a","age":1},{"age":1,"name":"a"}]', false],
  [unique(person), '[{"name":"a","age":1},{"name":"a","age":1e0}]', false],
  [unique(pair), '[["x",1],["y",1],["x",1.5]]', true],
  [unique(pair), '[["x",1],["y",1],["x",1]]', false],
  [unique(pair), '[["x",1],["x",1.0]]', false],
  [nested, '[[["b"], "a"],[["b"],"a"]]', false],
])("%j, %s: %s", (schema, text, expected) => {
  expect(formalLanguageOf(compileJsonSchema(schema, { whiteSpace: "compact" })).accepts(text)).toBe(expected);
});

test("where the last values are taken, a text that leads to them cannot begin", () => {
  const items = {
    type: "object",
    properties: { name: { type: "string" }, on: { type: "boolean" } },
    required: ["name", "on"],
  };
  const { begins } = formalLanguageOf(compileJsonSchema(unique(items), { whiteSpace: "compact" }));
  const both = '[{"name":"a","on":true},{"name":"a","on":false}';
  expect(begins(`${both},{"name":"ab","on":`)).toBe(true);
  expect(begins(`${both},{"name":"a`)).toBe(true);
  expect(begins(`${both},{"name":"a"`)).toBe(false);
});

test.each<[string, Json]>([
  ["any values", unique({ type: "object", properties: { a: {} } })],
  ["names by a pattern", unique({ type: "object", patternProperties: { "^x": { type: "string" } } })],
  [
    "two orders",
    unique({
      anyOf: [person, { ...person, properties: { age: { type: "integer" }, name: { type: "string" } } }],
    }),
  ],
  ["written values in an order of their own", unique({ anyOf: [person, { const: { age: 1, name: "a" } }] })],
  ["an inner list whose items differ", unique(unique({ type: "string" }))],
  ["counted names", unique({ ...person, maxProperties: 1 })],
])("%s: refused with the path", (_, schema) => {
  expect(() => compileJsonSchema(schema)).toThrow(/#\/uniqueItems/);
});
