import { describe, expect, test } from "vitest";
import { ConstraintLimitError } from "../../strategy-error.ts";
import { type FormalLanguage, formalLanguageOf } from "../../testing/walks.ts";
import type { Alternative, ArrayAlternative, Json, ObjectAlternative, SchemaHandle } from "../normal-form.ts";
import { anyString } from "../scalars/scalars.ts";
import type { EmitOptions } from "./emission.ts";
import { emitSchema } from "./emit.ts";

// Normal forms by hand: what the emitter makes of them, apart from how they come about.

const handle = (key: string, ...alternatives: Alternative[]): SchemaHandle => ({
  key,
  normal: () => alternatives,
});
const literal = (...values: Json[]) =>
  handle(`=${JSON.stringify(values)}`, ...values.map((value): Alternative => ({ type: "literal", value })));
const never = handle("never");
const string = handle("string", anyString);
const boolean = handle("boolean", { type: "boolean" });
const one = literal(1);
/** Literals and strings only: enough for these tests. */
const both = (handles: readonly SchemaHandle[]): SchemaHandle => {
  const key = `(${handles.map(({ key }) => key).join("&")})`;
  const [first = never, ...others] = handles;
  const alternatives = first
    .normal()
    .filter((alternative) =>
      others.every((other) =>
        other
          .normal()
          .some((each) =>
            each.type === "literal" && alternative.type === "literal"
              ? JSON.stringify(each.value) === JSON.stringify(alternative.value)
              : each.type === alternative.type,
          ),
      ),
    );
  return handle(key, ...alternatives);
};
const object = (
  change: Partial<Omit<ObjectAlternative, "properties">> & { properties?: Record<string, SchemaHandle> },
) =>
  handle(`object${serial++}`, {
    type: "object",
    required: new Set(),
    patterns: [],
    additional: never,
    names: null,
    minProperties: 0,
    maxProperties: Number.POSITIVE_INFINITY,
    clauses: [],
    ways: () => [],
    both,
    ...change,
    properties: new Map(Object.entries(change.properties ?? {})),
  });
let serial = 0;
const array = (change: Partial<ArrayAlternative>) =>
  handle(`array${serial++}`, {
    type: "array",
    prefix: [],
    rest: never,
    minItems: 0,
    maxItems: Number.POSITIVE_INFINITY,
    contains: [],
    unique: false,
    both,
    ...change,
  });
const language = (of: SchemaHandle, options: Partial<EmitOptions> = {}): FormalLanguage =>
  formalLanguageOf((expressions) =>
    emitSchema(expressions, of, { order: "schema", whiteSpace: "compact", ...options }),
  );

interface Row {
  readonly what: string;
  readonly of: SchemaHandle;
  readonly options?: Partial<EmitOptions>;
  readonly yes: readonly string[];
  readonly no: readonly string[];
}

const person = { properties: { name: string, age: one, ok: boolean }, required: new Set(["age"]) };
const abc = { properties: { a: one, b: one, c: one } };
const starts = (pattern: string, schema: SchemaHandle) => ({ pattern, schema });

const rows: readonly Row[] = [
  {
    what: "literals of all types",
    of: literal(null, true, 1.5, "a\n\u{1f600}", [], {}, [1, { a: [2] }]),
    yes: ["null", "true", "1.5", '"a\\n\u{1f600}"', "[]", "{}", '[1,{"a":[2]}]'],
    no: ["", "false", "1", "1.50", '"a', "[1]", '[1,{"a": [2]}]', '{"a":[2]}'],
  },
  {
    what: "literals that begin alike",
    of: literal("a", "ab", "abc", 1, 12, 123),
    yes: ['"a"', '"ab"', '"abc"', "1", "12", "123"],
    no: ['"abcd"', '""', "1234", "13", "01"],
  },
  {
    what: "boolean and null",
    of: handle("x", { type: "boolean" }, { type: "null" }),
    yes: ["true", "false", "null"],
    no: ["nul", "True"],
  },
  { what: "string", of: string, yes: ['""', '"a b"', '"\\n"'], no: ['"', '"\n"', "a"] },
  {
    what: "properties in the schema's order",
    of: object(person),
    yes: ['{"name":"x","age":1,"ok":true}', '{"age":1}', '{"name":"","age":1}', '{"age":1,"ok":false}'],
    no: [
      "{}",
      '{"name":"x"}',
      '{"age":1,"name":"x"}',
      '{"age":1,"age":1}',
      '{"age":1,}',
      '{"age":1,"x":1}',
      '{,"age":1}',
      '{"age":2}',
    ],
  },
  {
    what: "properties in any order",
    of: object(person),
    options: { order: "any" },
    yes: ['{"ok":true,"age":1,"name":"x"}', '{"age":1}', '{"age":1,"name":"x"}'],
    no: ["{}", '{"ok":true}', '{"age":1,"age":1}', '{"name":"x","ok":true}'],
  },
  { what: "no properties", of: object({}), yes: ["{}"], no: ['{"a":1}', "{", "[]"] },
  {
    what: "a forbidden property",
    of: object({ properties: { a: never, b: one }, additional: one }),
    yes: ['{"b":1}', '{"c":1}', '{"b":1,"aa":1}', '{"b":1,"c":1,"d":1}'],
    no: ['{"a":1}', '{"b":1,"a":1}', '{"c":1,"b":1}'],
  },
  {
    what: "additional names, any order",
    of: object({ properties: { a: boolean }, required: new Set(["a"]), additional: one }),
    options: { order: "any" },
    yes: ['{"a":true}', '{"b":1,"a":true}', '{"b":1,"a":true,"c":1}', '{"":1,"a":true}'],
    no: ['{"b":1}', '{"a":1}', '{"a":true,"a":true}', '{"b":true,"a":true}'],
  },
  {
    what: "names by patterns",
    of: object({ patterns: [starts("^a", literal(1, 2)), starts("z$", literal(2, 3))], additional: boolean }),
    yes: ['{"a":1}', '{"z":3}', '{"az":2}', '{"b":true}', '{"az":2,"a":1,"z":2,"q":false}'],
    no: ['{"a":3}', '{"z":1}', '{"az":1}', '{"az":3}', '{"b":1}', '{"a":true}'],
  },
  {
    what: "patterns that no value meets together",
    of: object({ patterns: [starts("^a", literal(1)), starts("z$", literal(3))] }),
    yes: ['{"a":1}', '{"z":3}', "{}"],
    no: ['{"az":1}', '{"az":3}', '{"b":1}'],
  },
  {
    what: "a pattern that all names match",
    of: object({ patterns: [starts("", one)], additional: boolean }),
    yes: ['{"a":1}', "{}", '{"":1}'],
    no: ['{"a":true}'],
  },
  {
    what: "names by a schema",
    of: object({ names: handle("short", { ...anyString, maxLength: 2 }), additional: one }),
    yes: ['{"ab":1}', "{}"],
    no: ['{"abc":1}'],
  },
  {
    what: "names that are listed, each written once",
    of: object({ names: literal("x", "y"), additional: one, patterns: [starts("y", boolean)] }),
    yes: ['{"x":1,"y":true}', '{"y":true,"x":1}', "{}"],
    no: ['{"x":1,"x":1}', '{"y":1}', '{"z":1}'],
  },
  {
    what: "minProperties over declared names",
    of: object({ ...abc, minProperties: 2 }),
    yes: ['{"a":1,"b":1}', '{"b":1,"c":1}', '{"a":1,"c":1}', '{"a":1,"b":1,"c":1}'],
    no: ["{}", '{"a":1}', '{"c":1}', '{"b":1'],
  },
  {
    what: "maxProperties, required names kept free",
    of: object({ ...abc, required: new Set(["b"]), maxProperties: 2 }),
    options: { order: "any" },
    yes: ['{"b":1}', '{"a":1,"b":1}', '{"c":1,"b":1}', '{"b":1,"a":1}'],
    no: ["{}", '{"a":1,"c":1}', '{"a":1,"c":1,"b":1}'],
  },
  {
    what: "minProperties 1 with free names",
    of: object({ additional: one, minProperties: 1 }),
    yes: ['{"a":1}', '{"a":1,"b":1}'],
    no: ["{}"],
  },
  {
    what: "minProperties one above the required ones, with free names",
    of: object({
      properties: { a: one, b: one },
      required: new Set(["a"]),
      additional: one,
      minProperties: 2,
    }),
    yes: ['{"a":1,"b":1}', '{"a":1,"x":1}', '{"a":1,"x":1,"y":1}'],
    no: ['{"a":1}', '{"b":1}', '{"a":1,"x":1,"x":1}'],
  },
  {
    what: "minProperties over names that a pattern lists",
    of: object({ patterns: [starts("^[ab]$", one)], minProperties: 2 }),
    yes: ['{"a":1,"b":1}', '{"b":1,"a":1}'],
    no: ['{"a":1,"a":1}', '{"a":1}', "{}"],
  },
  {
    what: "maxProperties with free names",
    of: object({ additional: one, maxProperties: 2 }),
    yes: ["{}", '{"a":1}', '{"a":1,"b":1}'],
    no: ['{"a":1,"b":1,"c":1}'],
  },
  {
    what: "names that need escapes",
    of: object({ properties: { 'a"b': one, "\\": one, "é\n": one }, additional: boolean }),
    yes: ['{"a\\"b":1,"\\\\":1,"é\\n":1}', '{"é":true}'],
    no: ['{"a\\"b":true}', '{"\\u0061\\"b":true}', '{"é\\n":true}', '{"\\u00e9\\n":true}'],
  },
  {
    what: "names that are whole numbers come first",
    of: object({ properties: { b: one, 10: one, 9: one } }),
    yes: ['{"9":1,"10":1,"b":1}'],
    no: ['{"b":1,"9":1}', '{"10":1,"9":1}'],
  },
  { what: "no items", of: array({}), yes: ["[]"], no: ["[1]", "[", "[]]"] },
  {
    what: "prefix and rest",
    of: array({ prefix: [boolean, one], rest: string }),
    yes: ["[]", "[true]", "[true,1]", '[true,1,"a","b"]'],
    no: ["[1]", "[true,true]", '[true,"a"]', "[true,1,1]", "[true,]", "[,]"],
  },
  {
    what: "minItems and maxItems",
    of: array({ rest: one, minItems: 1, maxItems: 3 }),
    yes: ["[1]", "[1,1]", "[1,1,1]"],
    no: ["[]", "[1,1,1,1]"],
  },
  {
    what: "an item that cannot be",
    of: array({ prefix: [one, never], rest: one }),
    yes: ["[]", "[1]"],
    no: ["[1,1]"],
  },
  {
    what: "contains",
    of: array({
      rest: literal(1, 2, 3),
      contains: [{ items: literal(1), others: literal(2, 3), min: 1, max: 2 }],
      maxItems: 3,
    }),
    yes: ["[1]", "[2,1]", "[2,3,1]", "[1,1]", "[1,2,1]"],
    no: ["[]", "[2]", "[1,1,1]", "[2,2,2]", "[2,3,2", "[1,1,1"],
  },
  {
    what: "contains that the prefix spoils",
    of: array({
      prefix: [literal(2), literal(1)],
      rest: literal(1, 2),
      contains: [{ items: literal(1), others: literal(2), min: 3, max: 3 }],
      maxItems: 4,
    }),
    yes: ["[2,1,1,1]"],
    no: ["[2,1,2", "[2,1]", "[2,1,1]"],
  },
  {
    what: "two contains",
    of: array({
      rest: literal(1, 2, 3),
      maxItems: 2,
      contains: [
        { items: literal(1, 3), others: literal(2), min: 2, max: Number.POSITIVE_INFINITY },
        { items: literal(2, 3), others: literal(1), min: 1, max: 1 },
      ],
    }),
    yes: ["[1,3]", "[3,1]"],
    no: ["[2", "[3,3]", "[1,1]", "[3]"],
  },
  {
    what: "items that differ",
    of: array({ rest: literal(1, "a", true), unique: true, minItems: 2 }),
    yes: ['[1,"a"]', '[true,1,"a"]'],
    no: ["[1]", "[1,1]", '[1,"a",1]', '[1,"a",true,'],
  },
  {
    what: "items that differ, after a prefix that takes one",
    of: array({ prefix: [literal(1, 2), literal(1)], unique: true, minItems: 2 }),
    yes: ["[2,1]"],
    no: ["[1", "[2,2]"],
  },
  {
    what: "spaced",
    of: object({ properties: { a: array({ rest: one }), b: literal({ x: [1, 2] }) } }),
    options: { whiteSpace: "spaced" },
    yes: ['{"a": [1, 1], "b": {"x": [1, 2]}}', "{}", '{"a": []}'],
    no: ['{"a":[1]}', '{"a": [1,1]}', '{ "a": []}', '{"b": {"x":[1, 2]}}'],
  },
  {
    what: "usual white space: one line, or a line for each item",
    of: object({ properties: { a: array({ rest: one }), b: literal({ x: [1, 2], y: {} }) } }),
    options: { whiteSpace: "usual" },
    yes: [
      '{"a": [1, 1], "b": {"x": [1, 2], "y": {}}}',
      JSON.stringify({ a: [1, 1], b: { x: [1, 2], y: {} } }, null, 2),
      JSON.stringify({ a: [1, 1], b: { x: [1, 2], y: {} } }, null, "\t"),
      '{"a": [\n1, 1],\n  "b": {"x": [1, 2], "y": {}}\n}',
      "{}",
      `{\n${" ".repeat(64)}}`,
    ],
    no: [
      '{"a":[1]}',
      '{"a":  [1]}',
      '{"a" : [1]}',
      '{"a": [1 , 1]}',
      '{ "a": [1]}',
      "\n{}",
      "{} ",
      '{"a": [1,1]}',
    ],
  },
  {
    what: "usual white space of items that differ",
    of: array({ rest: literal(1, "a", true), unique: true }),
    options: { whiteSpace: "usual" },
    yes: ['[1, "a"]', '[\n  1,\n  "a"\n]', "[]"],
    no: ["[1,true]", "[1, 1", "[1 "],
  },
  {
    what: "free white space",
    of: object({ properties: { a: array({ rest: one }), b: literal({ x: [1, 2], y: {} }) } }),
    options: { whiteSpace: "free" },
    yes: [
      '{"a":[1,1],"b":{"x":[1,2],"y":{}}}',
      ' {\n\t"a" : [ 1\r, 1 ] ,"b" : { "x" : [ 1 , 2 ] , "y" : { } } }',
      "{ }",
      `{${" ".repeat(64)}}`,
    ],
    no: ['{"a" 1}', "{} ", `{${" ".repeat(65)}}`, '{"a ":[]}', '{"a":[1 1]}', "{\u00a0}"],
  },
];

describe("what is emitted", () => {
  test.each(rows)("$what", ({ of, options, yes, no }) => {
    const made = language(of, options);
    expect(yes.filter((text) => !made.accepts(text))).toEqual([]);
    expect(no.filter((text) => made.accepts(text))).toEqual([]);
  });

  test("no text begins what cannot be ended", () => {
    const made = language(object({ ...abc, required: new Set(["c"]), maxProperties: 2, minProperties: 2 }), {
      order: "any",
    });
    expect(made.begins('{"a":1,"b')).toBe(false);
    expect(made.begins('{"a":1,"c":1}')).toBe(true);
    expect(made.begins('{"a":1,"c":1,')).toBe(false);
  });

  test.each([
    ["a required property that is forbidden", object({ properties: { a: never }, required: new Set(["a"]) })],
    ["more items than there can be", array({ prefix: [one], minItems: 2 })],
    ["more names than there can be", object({ ...abc, minProperties: 4 })],
  ])("%s, against the contract", (_, of) => {
    expect(() => language(of).begins("{")).toThrow(/has no valid value/);
  });

  test.each(["required", "schema", "any"] as const)("no name stands twice, order %s", (order) => {
    const made = language(object({ properties: { a: one }, additional: one, minProperties: 2 }), { order });
    const yes = ['{"a":1,"b":1}', '{"x":1,"y":1}', '{"x":1,"xy":1,"":1}', '{"é":1,"e":1}'];
    const no = [
      '{"a":1,"a":1}',
      '{"x":1,"x":1}',
      '{"x":1,"y":1,"x":1}',
      '{"":1,"":1}',
      '{"x":1,"\\u0078":1}',
    ];
    expect(yes.filter((text) => !made.accepts(text))).toEqual([]);
    expect(no.filter((text) => made.accepts(text))).toEqual([]);
    expect(made.begins('{"x":1,"x')).toBe(true);
    expect(made.begins('{"x":1,"x"')).toBe(false);
  });

  test("an object ends when all names are written", () => {
    const made = language(object({ patterns: [starts("^[ab]$", one), starts("^[bc]$", one)] }));
    expect(made.begins('{"b":1,"a":1,"')).toBe(true);
    expect(made.begins('{"b":1,"a":1,"c":1,')).toBe(false);
    expect(made.accepts('{"b":1,"a":1,"c":1}')).toBe(true);
  });

  test("more names than a pattern allows", () => {
    const two = (minProperties: number) =>
      object({ patterns: [starts("^[a-z]{2}$", one)], additional: never, minProperties });
    expect(language(two(676)).begins('{"ab":1,"cd')).toBe(true);
    expect(() => language(two(677)).begins("{")).toThrow(/has no valid value/);
  });
});

describe("size", () => {
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`property${index}`, string]));

  test.each(["required", "schema", "any"] as const)("60 optional properties, order %s", (order) => {
    const made = language(object({ properties: many, additional: string }), { order });
    const value = Object.fromEntries(Object.keys(many).map((name) => [name, "x"]));
    expect(made.accepts(JSON.stringify(value))).toBe(true);
    expect(made.accepts('{"property59":"x","property59":"x"}')).toBe(false);
    expect(made.size).toBeLessThan(5000);
  });

  test("recursion is made as deep as it is walked", () => {
    const list: SchemaHandle = {
      key: "list",
      normal: () => [{ type: "null" }, ...object({ properties: { next: list } }).normal()],
    };
    const made = language(list);
    expect(made.accepts('{"next":{"next":{"next":null}}}')).toBe(true);
    expect(made.accepts('{"next":{"next":{"next":null}}')).toBe(false);
    expect(made.size).toBeLessThan(100);
  });

  test("30 patterns that do not overlap, and some that do", () => {
    const apart = Array.from({ length: 30 }, (_, index) => starts(`^p${index}_`, literal(index)));
    const made = language(
      object({ patterns: [...apart, starts("^q", literal("q")), starts("^qr", literal("q", "r"))] }),
    );
    expect(made.accepts('{"p7_x":7,"p29_":29,"qr":"q","q":"q"}')).toBe(true);
    for (const text of ['{"p7_x":8}', '{"qr":"x"}', '{"r":1}']) expect(made.accepts(text)).toBe(false);
  });

  test("12 patterns that all overlap are too many classes", () => {
    const patterns = [..."abcdefghijkl"].map((letter) => starts(letter, string));
    expect(() => language(object({ patterns })).begins('{"')).toThrow(ConstraintLimitError);
  });

  test("5,000 literals", () => {
    const values = Array.from({ length: 5000 }, (_, index) => `value number ${index}`);
    const made = language(literal(...values));
    expect(made.accepts('"value number 4999"')).toBe(true);
    expect(made.accepts('"value number 5000"')).toBe(false);
    expect(made.size).toBeLessThan(100);
  });

  test("a literal of 20,000 characters", () => {
    const long = "x".repeat(20_000);
    expect(language(literal(long)).accepts(JSON.stringify(long))).toBe(true);
  });

  test("alternatives that end alike share their ends", () => {
    const tail = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`p${index}`, string]));
    const variants = Array.from({ length: 20 }, (_, index) =>
      object({ properties: { kind: literal(`k${index % 2}`), ...tail } }),
    );
    const made = language(handle("variants", ...variants.flatMap((each) => each.normal())));
    const value = { kind: "k0", ...Object.fromEntries(Object.keys(tail).map((name) => [name, ""])) };
    expect(made.accepts(JSON.stringify(value))).toBe(true);
    expect(made.size).toBeLessThan(400);
  });
});
