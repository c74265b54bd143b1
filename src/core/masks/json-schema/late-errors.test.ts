/** A schema that is accepted does not come to a halt in the middle of a text: its limits are met when the strategy is made. */
import { describe, expect, test } from "vitest";
import { uniformRandom } from "../../base/random.ts";
import { Automaton } from "../automaton/automaton.ts";
import { Expressions } from "../automaton/expression.ts";
import { jsonSchema } from "../strategies/json-schema.ts";
import { ConstraintLimitError, StrategyError } from "../strategy-error.ts";
import { formalLanguageOf } from "../testing/walks.ts";
import { compileJsonSchema } from "./compile.ts";

const names = (count: number) => Array.from({ length: count }, (_, index) => `p${index}`);

const conditions = (count: number) => ({
  type: "object",
  allOf: names(count).map((name) => ({
    if: { properties: { [name]: { const: 1 } }, required: [name] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: [`${name}b`] },
  })),
});

const choices = (count: number) => ({
  type: "object",
  allOf: names(count).map((name) => ({ anyOf: [{ required: [name] }, { required: [`${name}b`] }] })),
});

const below = (schema: object) => ({
  type: "object",
  properties: { outer: { type: "object", properties: { inner: schema } } },
});

function refusalOf(schema: object): unknown {
  try {
    jsonSchema(schema);
    return null;
  } catch (error) {
    return error;
  }
}

/** Each property has a choice of two schemas, so no clause can say the choice. */
const choicesOfOne = (count: number) => ({
  type: "object",
  allOf: names(count).map((name) => ({
    anyOf: [{ properties: { [name]: { minimum: 1 } } }, { properties: { [name]: { maxLength: 1 } } }],
  })),
});

describe("limits of a nested schema", () => {
  test.each([14, 40])("%i choices of two schemas of a property", (count) => {
    const error = refusalOf(below(choicesOfOne(count)));
    expect(error).toBeInstanceOf(ConstraintLimitError);
    expect((error as ConstraintLimitError).where).toBe("#/properties/outer/properties/inner");
    expect((error as Error).message).toMatch(/^The constraint is too complex: #\/properties\/outer/);
  });

  test.each([5, 6, 14, 40])("%i conditions are accepted", (count) => {
    expect(refusalOf(below(conditions(count)))).toBeNull();
  });

  test.each([14, 40])("%i choices of two properties are accepted", (count) => {
    expect(refusalOf(below(choices(count)))).toBeNull();
  });

  test.each([7, 8, 20])("oneOf of %i members with two typed properties in an open object", (count) => {
    const oneOf = names(count).map((name) => ({
      properties: { [name]: { type: "string" }, [`${name}b`]: { type: "integer" } },
      required: [name, `${name}b`],
    }));
    const { accepts } = formalLanguageOf(compileJsonSchema({ type: "object", oneOf }));
    const last = `p${count - 1}`;
    expect(accepts(`{"${last}":"a","${last}b":1}`)).toBe(true);
    expect(accepts(`{"p0":1,"p0b":1,"p1":"a","${last}":"a","${last}b":1}`)).toBe(true);
    expect(accepts(`{"${last}":"a","p0":"a","${last}b":1,"p0b":1.5}`)).toBe(true);
    expect(accepts(`{"p0":"a","p0b":1,"${last}":"a","${last}b":1}`)).toBe(false);
    expect(accepts(`{"p0":"a","${last}":"a"}`)).toBe(false);
    expect(accepts("{}")).toBe(false);
  });

  test.each([1, 8, 20])("oneOf of %i properties with a type in an open object", (count) => {
    const oneOf = names(count).map((name) => ({
      properties: { [name]: { type: "string" } },
      required: [name],
    }));
    const { accepts } = formalLanguageOf(compileJsonSchema({ type: "object", oneOf }));
    const [last = ""] = names(count).reverse();
    expect(accepts(`{"${last}":"a"}`)).toBe(true);
    expect(accepts(`{"${last}":1}`)).toBe(false);
    expect(accepts("{}")).toBe(false);
    if (count === 1) return;
    expect(accepts(`{"p0":1,"${last}":"a"}`)).toBe(true);
    expect(accepts(`{"${last}":"a","p0":1}`)).toBe(true);
    expect(accepts(`{"p0":"a","${last}":"a"}`)).toBe(false);
    expect(accepts(`{"${last}":"a","p0":"a"}`)).toBe(false);
  });

  test("100 objects in one another are written to their end", () => {
    const levels = Array.from({ length: 100 });
    const schema = levels.reduce<object>(
      (inner) => ({ type: "object", properties: { n: inner }, required: ["n"] }),
      { type: "integer" },
    );
    const made = formalLanguageOf(compileJsonSchema(schema));
    expect(made.accepts(`${'{"n":'.repeat(100)}1${"}".repeat(100)}`)).toBe(true);
    expect(made.accepts(`${'{"n":'.repeat(99)}1${"}".repeat(99)}`)).toBe(false);
  });
});

describe("parts that an answer may reach late", () => {
  const all = (schemas: readonly object[]) => ({ type: "array", allOf: schemas });
  test.each<[string, object]>([
    ["1,500 items", { type: "array", contains: { const: 1 }, minContains: 1_500 }],
    [
      "three contains of 60 to 100 items",
      all([2, 3, 5].map((multipleOf) => ({ contains: { multipleOf }, minContains: 60, maxContains: 100 }))),
    ],
    ["2,000 items, one of them listed", { type: "array", minItems: 2_000, contains: { const: 1 } }],
    ["seven contains", all([1, 2, 3, 4, 5, 6, 7].map((value) => ({ contains: { const: value } })))],
    ["two large divisors", { type: "integer", allOf: [{ multipleOf: 99_991 }, { multipleOf: 99_989 }] }],
  ])("%s", (_, schema) => {
    const error = refusalOf(below(schema));
    expect(error instanceof StrategyError || error instanceof ConstraintLimitError).toBe(true);
    expect((error as StrategyError).where).toMatch("#/properties/outer/properties/inner");
  });

  test("900 items that contains asks for are accepted", () => {
    const schema = { type: "array", contains: { const: 1 }, minContains: 900 };
    expect(formalLanguageOf(compileJsonSchema(schema)).accepts(`[${Array(900).fill(1)}]`)).toBe(true);
  });

  test("contains asks for one item twice, though items have to differ", () => {
    const array = { items: { enum: [1, 2, 3] }, contains: { const: 2 }, uniqueItems: true };
    const error = refusalOf({ type: "array", ...array, minContains: 2 });
    expect((error as StrategyError).reason).toMatch("no value is valid");
    expect(refusalOf({ type: "array", ...array, minItems: 3 })).toBeNull();
  });
});

/** Each of some names needs one of the places, and each place takes one name. */
const pigeonholes = (birds: number, places: number) => {
  const all = (count: number) => Array.from({ length: count }, (_, index) => index);
  return Object.fromEntries(
    all(birds).flatMap((bird) => [
      [`a${bird}`, { anyOf: all(places).map((place) => ({ required: [`p${bird}_${place}`] })) }],
      ...all(places).map((place) => [
        `p${bird}_${place}`,
        {
          properties: Object.fromEntries(
            all(birds)
              .filter((other) => other !== bird)
              .map((other) => [`p${other}_${place}`, false]),
          ),
        },
      ]),
    ]),
  );
};

/** Writes random texts to their end, in every order. @returns false for a schema that is refused, with a path */
function isWritten(schema: object, random: () => number, steps = 10_000): boolean {
  const error = refusalOf(schema);
  if (error !== null) {
    expect(error instanceof StrategyError || error instanceof ConstraintLimitError).toBe(true);
    expect((error as StrategyError).where).toMatch(/^#/);
    return false;
  }
  for (const order of ["required", "any", "schema"] as const) {
    const language = formalLanguageOf(compileJsonSchema(schema, { order }));
    for (let walk = 0; walk < 3; walk++) JSON.parse(language.randomText(random, steps));
  }
  return true;
}

/** Only these names, all with the value 0: every text has an end. */
const closed = (all: readonly string[]) => ({
  type: "object",
  properties: Object.fromEntries(all.map((name) => [name, { const: 0 }])),
  additionalProperties: false,
});

describe("conditions that share few places", () => {
  const birds = (count: number) => Array.from({ length: count }, (_, index) => `a${index}`);
  const shares = (count: number, places: number, more: object = {}) => {
    const dependentSchemas = pigeonholes(count, places);
    return { ...closed(Object.keys(dependentSchemas)), dependentSchemas, ...more };
  };
  let draw = 0;
  const random = () => uniformRandom(7, draw++);

  test.each<[string, object]>([
    ["5 names, 4 places", shares(5, 4)],
    ["6 names, 5 places", shares(6, 5)],
    ["4 of 5 names are required", shares(5, 4, { required: birds(4) })],
    ["in a choice", { anyOf: [shares(5, 4), { const: 1 }, shares(5, 3)] }],
    ["in a list", { type: "array", items: shares(5, 4), minItems: 1, maxItems: 2 }],
    ["in a property", { ...below(shares(5, 4)), additionalProperties: false }],
    ["at most 6 properties", shares(5, 4, { maxProperties: 6 })],
    ["at most 6 properties, 3 are required", shares(5, 4, { required: birds(3), maxProperties: 6 })],
  ])("%s: accepted, and written to the end", (_, schema) => {
    expect(isWritten(schema, random)).toBe(true);
  });

  test("with names that match a pattern", () => {
    const { properties: _properties, ...open } = shares(5, 4);
    expect(isWritten({ ...open, patternProperties: { "^p": { type: "integer" } } }, random, 40)).toBe(true);
  });

  test.each<[string, object]>([
    ["9 names, 8 places", shares(9, 8)],
    ["5 names that are all required", shares(5, 4, { required: birds(5) })],
    ["at least 3 properties", shares(5, 4, { minProperties: 3 })],
  ])("%s: refused", (_, schema) => {
    expect(isWritten(schema, random)).toBe(false);
  });
});

const CLAUSE_SETS = Number(process.env.CLAUSE_SETS ?? 25);

test("random conditions are refused, or written to their end", { timeout: 600_000 }, () => {
  let draw = 0;
  const seed = Number(process.env.CLAUSE_SEED ?? 1);
  const random = () => uniformRandom(seed, draw++);
  const below = (count: number) => Math.floor(random() * count);
  let written = 0;
  for (let index = 0; index < CLAUSE_SETS; index++) {
    const all = names(6 + below(25));
    const some = (most: number) =>
      Array.from({ length: 1 + below(most) }, () => all[below(all.length)] as string);
    const asked = (): object => {
      const [first = "p0", ...others] = some(3);
      if (random() < 0.3) return { properties: Object.fromEntries(some(3).map((name) => [name, false])) };
      if (random() < 0.3) return { required: others };
      if (random() < 0.3) return { properties: { [first]: { enum: [0, below(3)] } } };
      return { anyOf: [first, ...others].map((name) => ({ required: [name] })) };
    };
    const conditions = all.filter(() => random() < 0.8).map((name) => [name, asked()]);
    const schema = {
      ...closed(all),
      properties: Object.fromEntries(all.map((name) => [name, { enum: [0, 1, 2].slice(below(3)) }])),
      required: random() < 0.5 ? [] : [...new Set(some(4))],
      dependentSchemas: Object.fromEntries(conditions),
      maxProperties: random() < 0.5 ? all.length : 3 + below(all.length),
    };
    if (isWritten(schema, random)) written++;
  }
  expect(written).toBeGreaterThan(CLAUSE_SETS / 2);
});

describe("patterns that take too much work", () => {
  const names = Array.from({ length: 30 }, (_, index) => `${String.fromCharCode(97 + (index % 26))}${index}`);
  const manyNames = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
  test.each<[string, object]>([
    ["pattern", { type: "string", minLength: 50_000, pattern: "^[a-z]" }],
    ["pattern", { type: "string", pattern: "a.{200}b.{200}c" }],
    ["pattern", { type: "string", pattern: "a.{40}b.{40}c" }],
    ["pattern", { type: "string", pattern: "a.{12}b.{12}c" }],
    ["pattern", { type: "string", pattern: `^${"a?".repeat(500)}${"a".repeat(500)}$` }],
    ["pattern", { type: "string", pattern: `^${[..."abcdef"].map((l) => `(?!.*${l}.{3}0)`).join("")}.+$` }],
    ["not/pattern", { type: "string", not: { pattern: "a.{40}b.{40}c" } }],
    ["not/pattern", { type: "string", not: { pattern: "a.{20}b" } }],
    ["propertyNames/not/pattern", { type: "object", propertyNames: { not: { pattern: "a.{30}b.{40}c" } } }],
    ["patternProperties", { type: "object", patternProperties: manyNames }],
    [
      "patternProperties",
      {
        type: "object",
        patternProperties: Object.fromEntries([..."abcd"].map((letter) => [`^.*${letter}.{40}$`, true])),
      },
    ],
  ])("%s of %j", (keyword, schema) => {
    const error = refusalOf(below(schema));
    expect(error).toBeInstanceOf(ConstraintLimitError);
    expect((error as ConstraintLimitError).where).toBe(`#/properties/outer/properties/inner/${keyword}`);
  });

  test.each<[string, object]>([
    ["anyOf", { anyOf: [{ const: 1 }, { multipleOf: 5 }] }],
    ["not", { multipleOf: 5 }],
  ])("numbers without thousands of tenths and %s", (_, excluded) => {
    const values = Array.from({ length: 4_000 }, (_, index) => index / 10);
    const error = refusalOf(below({ type: "number", allOf: [{ not: excluded }, { not: { enum: values } }] }));
    expect(error).toBeInstanceOf(ConstraintLimitError);
    expect((error as ConstraintLimitError).where).toMatch(/^#\/properties\/outer\/properties\/inner/);
  });

  test("a pattern of names beside other names", () => {
    const schema = {
      type: "object",
      patternProperties: { "^.*a.{40}$": true },
      additionalProperties: { type: "integer" },
    };
    expect((refusalOf(below(schema)) as StrategyError).where).toMatch(/patternProperties$/);
  });

  const words = ["ab", "cd", "ef", "gh", "ij", "kl", "mn", "op", "qr", "st", "uv", "wx"];
  test.each<[string, object]>([
    ["12 patterns of one string", { type: "string", allOf: words.map((pattern) => ({ pattern })) }],
    [
      "a pattern and a length in two schemas",
      { type: "string", allOf: [{ pattern: "^[a-z]" }, { minLength: 50_000 }] },
    ],
    [
      "two patterns of one string with counts",
      { type: "string", allOf: [{ pattern: "a.{9}b" }, { pattern: "c.{9}d" }] },
    ],
    [
      "patterns of one property in many schemas",
      {
        type: "object",
        allOf: words.map((pattern) => ({ properties: { name: { type: "string", pattern } } })),
        required: ["name"],
      },
    ],
  ])("%s", (_, schema) => {
    const error = refusalOf(below(schema));
    expect(error).toBeInstanceOf(ConstraintLimitError);
    expect((error as ConstraintLimitError).where).toMatch("#/properties/outer/properties/inner");
  });

  test.each(["default", "const", "enum", "examples"])("of a property named %s", (name) => {
    const pattern = "a.{200}b.{200}c";
    const error = refusalOf({ type: "object", properties: { [name]: { type: "string", pattern } } });
    expect(error).toBeInstanceOf(ConstraintLimitError);
    expect((error as ConstraintLimitError).where).toBe(`#/properties/${name}/pattern`);
  });

  test("six patterns of one string are accepted, and a pattern in data is none", () => {
    const patterns = words.slice(0, 6).map((pattern) => ({ pattern }));
    expect(refusalOf({ type: "string", allOf: patterns })).toBeNull();
    expect(refusalOf({ type: "object", default: { pattern: "a.{200}b.{200}c" } })).toBeNull();
  });

  test.each([
    [{ type: "string", minLength: 1, maxLength: 5000, pattern: "^$|(^(?:\\S+\\s+){0,99}\\S+$)" }],
    [{ type: "string", pattern: "^[a-z0-9]{1,253}$" }],
    [{ type: "string", pattern: "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" }],
    [{ type: "string", pattern: "^(?=.*[a-z])(?=.*[A-Z])(?=.*\\d)(?=.*[^\\w\\s])(?!.*\\s).{12,64}$" }],
    [{ type: "string", minLength: 2000, maxLength: 4000 }],
  ])("%j is accepted", (schema) => {
    expect(refusalOf(below(schema))).toBeNull();
  });
});

describe("thousands of excepted texts are accepted", () => {
  const words = Array.from({ length: 3_000 }, (_, index) => `w${index * index}`);
  test("values", () => {
    const made = formalLanguageOf(
      compileJsonSchema({ type: "string", not: { enum: [...words, "", "é", '"', "w"] } }),
    );
    for (const text of ["w4", "w8994001", "", "é", '"', "w"])
      expect(made.accepts(JSON.stringify(text))).toBe(false);
    for (const text of ["w2", "w89940012", "x", "ê", "e", "w8994"])
      expect(made.accepts(JSON.stringify(text))).toBe(true);
  });

  test.each<[string, object, number, number]>([
    ["whole numbers", { type: "integer" }, 2_000, 1],
    ["whole numbers with a bound", { type: "integer", minimum: -5 }, 2_000, 1],
    ["whole multiples", { type: "number", multipleOf: 1 }, 4_000, 1],
    ["tenths", { type: "number" }, 1_000, 10],
  ])("%s", (_, schema, count, parts) => {
    const values = Array.from({ length: count }, (_, index) => (index * index) / parts);
    const made = formalLanguageOf(compileJsonSchema({ ...schema, not: { enum: values } }));
    for (const value of [0, 9, 9801, 998001]) expect(made.accepts(String(value / parts))).toBe(false);
    for (const value of [2, 8, 9802, 998002]) expect(made.accepts(String(value / parts))).toBe(true);
  });

  test("names", () => {
    const properties = Object.fromEntries(words.map((name) => [name, { type: "integer" }]));
    const made = formalLanguageOf(
      compileJsonSchema({ type: "object", properties, additionalProperties: { type: "string" } }),
    );
    expect(made.accepts('{"w4":1,"w2":"x"}')).toBe(true);
    expect(made.accepts('{"w4":"x"}')).toBe(false);
    expect(made.accepts('{"w2":1}')).toBe(false);
  });
});

describe("multiples that exclude each other", () => {
  test.each<[object, string]>([
    [{ type: "integer", oneOf: [{ multipleOf: 97 }, { multipleOf: 91 }] }, "9700"],
    [{ type: "integer", oneOf: [{ multipleOf: 9973 }, { multipleOf: 9967 }] }, "9973000"],
    [{ oneOf: [{ multipleOf: 9973 }, { multipleOf: 9967 }] }, "-9973000"],
    [{ type: "array", contains: { multipleOf: 9973 } }, "[1234567,99730,1.5]"],
  ])("%j is written to its end", (schema, text) => {
    const expressions = new Expressions(20_000);
    const automaton = new Automaton(expressions, compileJsonSchema(schema)(expressions));
    let state = automaton.start;
    for (const byte of new TextEncoder().encode(text)) {
      automaton.begin();
      state = automaton.step(state, byte);
    }
    expect(automaton.isAccepting(state)).toBe(true);
  });
});

test("a schema that is nested too deeply is refused with the path of the whole", () => {
  const levels = Array.from({ length: 600 });
  const schema = levels.reduce<object>((inner) => ({ type: "array", items: inner }), {});
  expect((refusalOf(schema) as ConstraintLimitError).where).toBe("#");
});

test.each([7, 8, 9, 10])("%i patterns of one string: the same answer on every try", (count) => {
  const words = ["ab", "cd", "ef", "gh", "ij", "kl", "mn", "op", "qr", "st"].slice(0, count);
  const schema = { type: "string", allOf: words.map((pattern) => ({ pattern })) };
  const [first, ...later] = [1, 2, 3].map(() => refusalOf(schema));
  expect(first instanceof ConstraintLimitError).toBe(count > 7);
  expect(later).toEqual([first, first]);
});

test.each<[object, string, string]>([
  [{ additionalProperties: { not: { maxProperties: 1 } } }, '{"a":{"b":1,"c":1}}', '{"a":{"b":1}}'],
  [{ not: { items: { minProperties: 2 } } }, '[{"a":1,"b":1},{"a":1}]', '[{"a":1,"b":1}]'],
  [below({ not: { maxProperties: 2 } }), "{}", '{"outer":{"inner":{"a":1,"b":1}}}'],
  [{ type: "object", minProperties: 3 }, '{"a":1,"b":1,"c":1}', '{"a":1,"b":1,"a":1}'],
])("names without a declaration are counted: %j", (schema, valid, invalid) => {
  const made = formalLanguageOf(jsonSchema(schema).build);
  expect(made.accepts(valid)).toBe(true);
  expect(made.accepts(invalid)).toBe(false);
});
