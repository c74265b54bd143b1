/** A schema that is accepted does not come to a halt in the middle of a text: its limits are met when the strategy is made. */
import { describe, expect, test } from "vitest";
import { Automaton } from "../automaton/automaton.ts";
import { Expressions } from "../automaton/expression.ts";
import { jsonSchema } from "../strategies/json-schema.ts";
import { ConstraintLimitError, StrategyError } from "../strategy-error.ts";
import { languageOf } from "../testing/walks.ts";
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

describe("limits of a nested schema", () => {
  test.each([
    ["14 choices of two properties", choices(14)],
    ["40 choices of two properties", choices(40)],
  ])("%s", (_, schema) => {
    const error = refusalOf(below(schema));
    expect(error).toBeInstanceOf(ConstraintLimitError);
    expect((error as ConstraintLimitError).where).toBe("#/properties/outer/properties/inner");
    expect((error as Error).message).toMatch(/^The constraint is too complex: #\/properties\/outer/);
  });

  test.each([5, 6, 14, 40])("%i conditions are accepted", (count) => {
    expect(refusalOf(below(conditions(count)))).toBeNull();
  });

  test("100 objects in one another are written to their end", () => {
    const levels = Array.from({ length: 100 });
    const schema = levels.reduce<object>(
      (inner) => ({ type: "object", properties: { n: inner }, required: ["n"] }),
      { type: "integer" },
    );
    const made = languageOf(compileJsonSchema(schema));
    expect(made.accepts(`${'{"n":'.repeat(100)}1${"}".repeat(100)}`)).toBe(true);
    expect(made.accepts(`${'{"n":'.repeat(99)}1${"}".repeat(99)}`)).toBe(false);
  });
});

describe("patterns that take too much work", () => {
  const names = Array.from({ length: 30 }, (_, index) => `${String.fromCharCode(97 + (index % 26))}${index}`);
  const manyNames = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
  test.each<[string, object]>([
    ["pattern", { type: "string", minLength: 50_000, pattern: "^[a-z]" }],
    ["pattern", { type: "string", pattern: "a.{200}b.{200}c" }],
    ["patternProperties", { type: "object", patternProperties: manyNames }],
  ])("%s of %j", (keyword, schema) => {
    const error = refusalOf(below(schema));
    expect(error).toBeInstanceOf(ConstraintLimitError);
    expect((error as ConstraintLimitError).where).toBe(`#/properties/outer/properties/inner/${keyword}`);
  });

  test.each([
    [{ type: "string", minLength: 1, maxLength: 5000, pattern: "^$|(^(?:\\S+\\s+){0,99}\\S+$)" }],
    [{ type: "string", pattern: "^[a-z0-9]{1,253}$" }],
    [{ type: "string", minLength: 2000, maxLength: 4000 }],
  ])("%j is accepted", (schema) => {
    expect(refusalOf(below(schema))).toBeNull();
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

describe("names that cannot be counted", () => {
  test.each([
    [{ additionalProperties: { not: { maxProperties: 1 } } }],
    [{ not: { items: { minProperties: 2 } } }],
    [below({ not: { maxProperties: 2 } })],
  ])("%j", (schema) => {
    const error = refusalOf(schema);
    if (error !== null) {
      expect(error).toBeInstanceOf(StrategyError);
      expect((error as StrategyError).where).not.toBe("");
    }
  });
});
