import { describe, expect, test } from "vitest";
import { uniformRandom } from "../../base/random.ts";
import { StrategyError } from "../strategy-error.ts";
import { validatorOf } from "../testing/ajv.ts";
import { type FormalLanguage, formalLanguageOf } from "../testing/walks.ts";
import { compileJsonObject, compileJsonSchema, type JsonOptions } from "./compile.ts";
import type { Json } from "./normal-form.ts";
import { knownFormats } from "./scalars/formats.ts";

const language = (schema: Json, options: JsonOptions = {}): FormalLanguage =>
  formalLanguageOf(compileJsonSchema(schema, options));

interface Row {
  readonly what: string;
  readonly schema: Json;
  /** Members in the schema's order. */
  readonly valid: readonly Json[];
  readonly invalid: readonly Json[];
}

const tree: Json = {
  $ref: "#/$defs/node",
  $defs: {
    node: {
      type: "object",
      properties: {
        value: { type: "integer" },
        children: { type: "array", items: { $ref: "#/$defs/node" } },
      },
      required: ["value"],
      additionalProperties: false,
    },
  },
};

const rows: readonly Row[] = [
  { what: "true", schema: true, valid: [null, 1, "a", [1, [{}]], { a: { b: [] } }, false], invalid: [] },
  { what: "type", schema: { type: "integer" }, valid: [0, -12, 1e15], invalid: [1.5, "1", null, [1]] },
  { what: "types", schema: { type: ["string", "null"] }, valid: ["", "x", null], invalid: [0, {}, false] },
  {
    what: "enum",
    schema: { enum: ["a", 1, null, { x: [1] }, [], "ab"] },
    valid: ["a", "ab", 1, null, { x: [1] }, []],
    invalid: ["b", "", 2, { x: [2] }, {}, [1]],
  },
  { what: "const", schema: { const: { a: 1, b: "c" } }, valid: [{ a: 1, b: "c" }], invalid: [{ a: 1 }, "c"] },
  {
    what: "enum with type",
    schema: { type: "string", enum: ["a", 1], minLength: 1 },
    valid: ["a"],
    invalid: [1, ""],
  },
  {
    what: "bounds",
    schema: { type: "number", minimum: -1.5, exclusiveMaximum: 10 },
    valid: [-1.5, 0, 9.99, 3],
    invalid: [-1.51, 10, 11, -2],
  },
  {
    what: "a property whose name is empty, listed by one branch of a condition",
    schema: {
      type: "object",
      if: { properties: { x: {} }, required: ["x"] },
      else: { properties: { "": {}, z: {} } },
    },
    valid: [{}, { x: 1 }, { "": 1, z: 2 }, { z: 2 }],
    invalid: [1, []],
  },
  { what: "multipleOf", schema: { type: "integer", multipleOf: 7 }, valid: [0, 49, -7], invalid: [1, 48] },
  {
    what: "lengths",
    schema: { type: "string", minLength: 2, maxLength: 3 },
    valid: ["ab", "é\n", "\u{1f600}x"],
    invalid: ["a", "abcd", "\u{1f600}"],
  },
  {
    what: "pattern",
    schema: { type: "string", pattern: "^\\d+(-x)?$" },
    valid: ["1", "12-x"],
    invalid: ["", "x", "1-", "a1"],
  },
  {
    what: "format",
    schema: { type: "string", format: "date" },
    valid: ["2024-02-29"],
    invalid: ["2023-02-29", "x"],
  },
  {
    what: "an unknown format is an annotation",
    schema: { type: "string", format: "nonsense", title: "t", "x-y": 1 },
    valid: ["", "x"],
    invalid: [1],
  },
  {
    what: "properties",
    schema: { properties: { a: { type: "integer" }, b: { type: "string" } } },
    valid: [{}, { a: 1 }, { b: "x" }, { a: 1, b: "x", c: null }, 12, []],
    invalid: [{ a: "x" }, { a: 1, b: 1 }],
  },
  {
    what: "required",
    schema: { type: "object", properties: { a: {}, b: {} }, required: ["b", "z"] },
    valid: [
      { b: 1, z: 2 },
      { a: 1, b: 1, z: 2, x: 1 },
    ],
    invalid: [{}, { b: 1 }, { a: 1, z: 1 }],
  },
  {
    what: "additionalProperties false",
    schema: { type: "object", properties: { a: {} }, additionalProperties: false },
    valid: [{}, { a: [] }],
    invalid: [{ b: 1 }, { a: 1, b: 1 }, { aa: 1 }],
  },
  {
    what: "additionalProperties schema",
    schema: {
      type: "object",
      properties: { a: { type: "null" } },
      additionalProperties: { type: "boolean" },
    },
    valid: [{ a: null, b: true, c: false }, { b: true }],
    invalid: [{ a: true }, { b: null }],
  },
  {
    what: "patternProperties",
    schema: {
      type: "object",
      properties: { x1: { minimum: 5 } },
      patternProperties: { "^x": { type: "integer" }, y: { maximum: 10 } },
      additionalProperties: false,
    },
    valid: [{ x1: 5 }, { x1: 7, x: 1, xy: 3, y: "s" }],
    invalid: [{ x1: 4 }, { x1: "a" }, { xy: 11 }, { xy: 1.5 }, { z: 1 }, { y: 11 }],
  },
  {
    what: "propertyNames",
    schema: { type: "object", propertyNames: { pattern: "^[a-z]{1,3}$" } },
    valid: [{}, { abc: 1, d: 2 }],
    invalid: [{ abcd: 1 }, { A: 1 }, { "": 1 }],
  },
  {
    what: "propertyNames that are listed",
    schema: {
      type: "object",
      propertyNames: { enum: ["a", "b"] },
      additionalProperties: { type: "integer" },
      minProperties: 2,
    },
    valid: [
      { a: 1, b: 2 },
      { b: 1, a: 2 },
    ],
    invalid: [{ a: 1 }, { a: 1, c: 1 }, {}],
  },
  {
    what: "minProperties and maxProperties",
    schema: {
      type: "object",
      properties: { a: {}, b: {}, c: {} },
      additionalProperties: false,
      minProperties: 1,
      maxProperties: 2,
    },
    valid: [{ a: 1 }, { a: 1, c: 1 }, { b: 1, c: 1 }],
    invalid: [{}, { a: 1, b: 1, c: 1 }],
  },
  {
    what: "minProperties that one of two alternatives cannot meet",
    schema: {
      type: "object",
      patternProperties: { "^[a-c]$": {} },
      additionalProperties: false,
      minProperties: 3,
      anyOf: [{ properties: { a: false } }, { required: ["b"] }],
    },
    valid: [{ b: 2, a: 1, c: 3 }],
    invalid: [{}, { b: 1, c: 2 }, { a: 1, b: 2 }],
  },
  {
    what: "items",
    schema: { type: "array", items: { type: "integer" }, minItems: 1, maxItems: 3 },
    valid: [[1], [1, 2, 3]],
    invalid: [[], [1, 2, 3, 4], ["a"]],
  },
  {
    what: "prefixItems",
    schema: { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }], items: false },
    valid: [[], ["a"], ["a", 1]],
    invalid: [[1], ["a", 1, 1], ["a", "b"]],
  },
  {
    what: "contains",
    schema: {
      type: "array",
      items: { type: "integer" },
      contains: { minimum: 10 },
      minContains: 2,
      maxContains: 3,
    },
    valid: [
      [10, 11],
      [1, 10, 2, 12, 3, 13],
    ],
    invalid: [[], [10], [10, 10, 10, 10], [1, 2, 3]],
  },
  {
    what: "uniqueItems",
    schema: { type: "array", items: { enum: ["a", "b", "c"] }, uniqueItems: true, minItems: 1 },
    valid: [["a"], ["b", "a"], ["c", "b", "a"]],
    invalid: [["a", "a"], ["a", "b", "a"], []],
  },
  {
    what: "anyOf",
    schema: {
      anyOf: [
        { type: "integer", minimum: 5 },
        { type: "string", maxLength: 1 },
      ],
    },
    valid: [5, "", "a"],
    invalid: [4, "ab", null],
  },
  {
    what: "oneOf whose members overlap",
    schema: { type: "integer", oneOf: [{ minimum: 5 }, { maximum: 10 }] },
    valid: [4, 11],
    invalid: [5, 7, 10],
  },
  {
    what: "allOf with several members",
    schema: {
      allOf: [
        { type: "object", properties: { a: { type: "integer" } }, required: ["a"] },
        { properties: { a: { minimum: 3 }, b: { type: "null" } } },
        { maxProperties: 2 },
      ],
    },
    valid: [{ a: 3 }, { a: 4, b: null }, { a: 3, x: 1 }],
    invalid: [{ a: 2 }, { b: null }, { a: 3, b: null, c: 1 }, { a: 3, b: 1 }],
  },
  {
    what: "not",
    schema: { type: ["integer", "string"], not: { enum: [1, "a"] } },
    valid: [2, 10, "b", "aa"],
    invalid: [1, "a", null],
  },
  {
    what: "not, of an object",
    schema: {
      type: "object",
      properties: { a: { type: "integer" } },
      additionalProperties: false,
      not: { required: ["a"] },
    },
    valid: [{}],
    invalid: [{ a: 1 }],
  },
  {
    what: "if, then, else",
    schema: {
      type: "object",
      properties: { kind: { enum: ["a", "b"] }, value: {} },
      required: ["kind", "value"],
      additionalProperties: false,
      if: { properties: { kind: { const: "a" } } },
      // biome-ignore lint/suspicious/noThenProperty: the keyword's name
      then: { properties: { value: { type: "integer" } } },
      else: { properties: { value: { type: "string" } } },
    },
    valid: [
      { kind: "a", value: 1 },
      { kind: "b", value: "x" },
    ],
    invalid: [
      { kind: "a", value: "x" },
      { kind: "b", value: 1 },
      { kind: "c", value: 1 },
    ],
  },
  {
    what: "dependentRequired",
    schema: {
      type: "object",
      properties: { a: {}, b: {}, c: {} },
      additionalProperties: false,
      dependentRequired: { a: ["b"] },
    },
    valid: [{}, { b: 1 }, { a: 1, b: 1 }, { c: 1 }],
    invalid: [{ a: 1 }, { a: 1, c: 1 }],
  },
  {
    what: "dependentSchemas",
    schema: {
      type: "object",
      properties: { a: {}, b: { type: ["integer", "string"] } },
      additionalProperties: false,
      dependentSchemas: { a: { properties: { b: { type: "integer" } } } },
    },
    valid: [{ a: 1, b: 1 }, { b: "x" }, { a: 1 }],
    invalid: [{ a: 1, b: "x" }],
  },
  {
    what: "a tree",
    schema: tree,
    valid: [{ value: 1 }, { value: 1, children: [{ value: 2, children: [] }, { value: 3 }] }],
    invalid: [
      { children: [] },
      { value: 1, children: [{}] },
      { value: 1, children: [{ value: 2, children: [1] }] },
    ],
  },
  {
    what: "a linked list",
    schema: {
      type: "object",
      properties: { head: {}, tail: { anyOf: [{ $ref: "#" }, { type: "null" }] } },
      required: ["head", "tail"],
      additionalProperties: false,
    },
    valid: [
      { head: 1, tail: null },
      { head: 1, tail: { head: [2], tail: null } },
    ],
    invalid: [{ head: 1 }, { head: 1, tail: { head: 1 } }, { head: 1, tail: 1 }],
  },
  {
    what: "two that refer to one another",
    schema: {
      $ref: "#/$defs/even",
      $defs: {
        even: { type: "array", items: { $ref: "#/$defs/odd" }, maxItems: 2 },
        odd: { type: "object", properties: { e: { $ref: "#/$defs/even" } }, additionalProperties: false },
      },
    },
    valid: [[], [{}], [{ e: [{ e: [] }] }, {}]],
    invalid: [[[]], [{ e: {} }], [{}, {}, {}], [{ o: [] }]],
  },
  {
    what: "$ref with siblings",
    schema: { $ref: "#/$defs/n", maximum: 5, $defs: { n: { type: "integer", minimum: 1 } } },
    valid: [1, 5],
    invalid: [0, 6, "a"],
  },
];

const orders = ["required", "schema", "any"] as const;

describe("instances", () => {
  test.each(rows)("$what", ({ schema, valid, invalid }) => {
    const isValid = validatorOf(schema, "2020-12");
    expect(valid.filter((value) => !isValid(value))).toEqual([]);
    expect(invalid.filter((value) => isValid(value))).toEqual([]);
    for (const order of orders) {
      const compact = language(schema, { order });
      const free = language(schema, { order, whiteSpace: "free" });
      const written = (value: Json) => JSON.stringify(value);
      const indented = (value: Json) => JSON.stringify(value, null, 2);
      expect(valid.filter((value) => !compact.accepts(written(value)))).toEqual([]);
      expect(invalid.filter((value) => compact.accepts(written(value)))).toEqual([]);
      expect(valid.filter((value) => !free.accepts(indented(value)))).toEqual([]);
      expect(invalid.filter((value) => free.accepts(indented(value)))).toEqual([]);
    }
  });
});

describe("texts", () => {
  const spaces = ["compact", "spaced", "usual", "free"] as const;
  test.each(rows)("$what: every text on a random way is valid", ({ schema }) => {
    const isValid = validatorOf(schema, "2020-12");
    for (const order of orders) {
      for (const whiteSpace of spaces) {
        const made = language(schema, { order, whiteSpace });
        for (let seed = 0; seed < 5; seed++) {
          let draw = 0;
          const text = made.randomText(() => uniformRandom(seed, draw++), 4 ** seed / 4);
          expect(isValid(JSON.parse(text)), text).toBe(true);
          if (seed < 3) expect(made.accepts(text)).toBe(true);
        }
      }
    }
  });
});

describe("any object", () => {
  test.each(["compact", "free"] as const)("%s", (whiteSpace) => {
    const made = formalLanguageOf(compileJsonObject({ whiteSpace }));
    expect(made.accepts('{"a":[{"b":{"c":[null,true,-1.5e3,"x"]}}],"b":{}}')).toBe(true);
    expect(made.accepts("{}")).toBe(true);
    expect(made.accepts("[]")).toBe(false);
    expect(made.accepts('{"a":[}')).toBe(false);
    const deep = 200;
    expect(made.accepts(`{"a":${"[".repeat(deep)}${"]".repeat(deep)}}`)).toBe(true);
    expect(made.accepts(`{"a":${"[".repeat(deep)}${"]".repeat(deep - 1)}}`)).toBe(false);
  });
});

test.each([...knownFormats])("items of the format %s can be kept apart", (format) => {
  const items = { type: "string", format };
  expect(() => compileJsonSchema({ type: "array", items, uniqueItems: true, minItems: 100 })).not.toThrow();
});

test("unique items that may be arrays of such items cannot be listed", () => {
  expect(() => compileJsonSchema({ items: { $ref: "#" }, uniqueItems: true })).toThrow(/#\/uniqueItems/);
});

describe("more properties than there are names are refused at once, with the path", () => {
  test.each([
    [
      { items: { type: "object", propertyNames: { pattern: "^[a-c]$" }, minProperties: 4 } },
      /#\/items\/minProperties: minProperties asks for more properties/,
    ],
    [
      {
        type: "object",
        properties: { a: false },
        patternProperties: { "^a$": {} },
        additionalProperties: false,
        minProperties: 1,
      },
      /#\/minProperties: minProperties asks for more properties/,
    ],
  ] as const)("%j", (schema, message) => {
    expect(() => compileJsonSchema(schema)).toThrow(message);
  });
});

test("a schema that no value meets is refused", () => {
  expect(() => compileJsonSchema(false)).toThrow(StrategyError);
  expect(() => compileJsonSchema({ type: "string", minLength: 2, maxLength: 1 })).toThrow(
    /no value is valid/,
  );
});

describe("integers of OpenAPI's formats", () => {
  const accepts = (schema: Json, text: string) => language(schema).accepts(text);
  test.each<[Record<string, Json>, string, boolean]>([
    [{ format: "int32" }, "2147483647", true],
    [{ format: "int32" }, "2147483648", false],
    [{ format: "int32" }, "-2147483648", true],
    [{ format: "int32" }, "-2147483649", false],
    [{ format: "int64" }, "9007199254740993", true],
    [{ format: "int64" }, "9223372036854775808", false],
    [{ format: "int32", maximum: 3_000_000_000 }, "2999999999", true],
    [{ format: "int32", minimum: 0 }, "2147483648", false],
  ])("%j, %s: %s", (schema, text, isAllowed) => {
    expect(accepts({ type: "integer", ...schema }, text)).toBe(isAllowed);
  });

  test("a negated format allows nothing that a validator without formats refuses", () => {
    const schema = { type: ["integer", "string"], not: { type: "integer", format: "int32" } };
    expect(accepts(schema, "3000000000")).toBe(false);
    expect(accepts(schema, '"a"')).toBe(true);
  });
});

describe("objects that the schema lists", () => {
  const listed: Json = { enum: [{ a: 1, b: { c: [], d: [{ e: 1, f: 2 }] } }, 5, {}] };
  const reordered = '{"b":{"d":[{"f":2,"e":1}],"c":[]},"a":1}';

  test.each(["compact", "spaced", "usual", "free"] as const)("any order of their names, %s", (whiteSpace) => {
    const { accepts } = language(listed, { order: "any", whiteSpace });
    const spaced = whiteSpace === "compact" || whiteSpace === "free" ? reordered : spacedText(reordered);
    for (const text of [spaced, "5", "{}"]) expect([text, accepts(text)]).toEqual([text, true]);
    for (const text of ['{"a":1}', '{"a":1,"a":1}', `{"a":1,${spaced.slice(1)}`, "{,}"]) {
      expect([text, accepts(text)]).toEqual([text, false]);
    }
  });

  test.each(["required", "schema"] as const)("as the schema writes them, order %s", (order) => {
    const { accepts } = language(listed, { order });
    expect(accepts('{"a":1,"b":{"c":[],"d":[{"e":1,"f":2}]}}')).toBe(true);
    expect(accepts(reordered)).toBe(false);
  });

  test("twelve names in any order", () => {
    const names = Array.from({ length: 12 }, (_, index) => [`n${index}`, index] as const);
    const { accepts } = language({ const: Object.fromEntries(names) }, { order: "any" });
    expect(accepts(JSON.stringify(Object.fromEntries(names.toReversed())))).toBe(true);
  });
});

function spacedText(text: string): string {
  return text.replaceAll(":", ": ").replaceAll(",", ", ");
}
