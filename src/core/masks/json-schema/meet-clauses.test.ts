import { describe, expect, test } from "vitest";
import { uniformRandom } from "../../base/random.ts";
import { StrategyError } from "../strategy-error.ts";
import { validatorOf } from "../testing/ajv.ts";
import { type FormalLanguage, formalLanguageOf } from "../testing/walks.ts";
import { compileJsonSchema, type JsonOptions } from "./compile.ts";
import type { Json } from "./normal-form.ts";
import { normalizeSchema } from "./normalize/normalize.ts";
import { acceptsNormal } from "./testing/accepts-normal.ts";

type Fields = { [keyword: string]: Json };

const names = (count: number) => Array.from({ length: count }, (_, index) => `p${index}`);
const branch = (test: Json, then: Json): Fields => ({ if: test, ["the".concat("n")]: then });

/** `{p: 1}` asks for `pb`, for each of the names. */
const conditions = (count: number): Fields => ({
  type: "object",
  allOf: names(count).map((name) =>
    branch({ properties: { [name]: { const: 1 } }, required: [name] }, { required: [`${name}b`] }),
  ),
});

const dependents = (count: number): Fields => ({
  type: "object",
  dependentRequired: Object.fromEntries(names(count).map((name) => [name, [`${name}b`]])),
});

/** Each kind asks for a property of its own. */
const kinds = (count: number): Fields => ({
  type: "object",
  properties: { kind: { enum: names(count) } },
  required: ["kind"],
  allOf: names(count).map((name) =>
    branch({ properties: { kind: { const: name } } }, { required: [`${name}b`] }),
  ),
});

/** Each kind asks for an integer with a name of its own. The kinds are listed, or any string may be a kind. */
const typedKinds = (count: number, kind: Json): Fields => ({
  type: "object",
  properties: { kind },
  required: ["kind"],
  allOf: names(count).map((name) =>
    branch(
      { properties: { kind: { const: name } } },
      { properties: { [`${name}b`]: { type: "integer" } }, required: [`${name}b`] },
    ),
  ),
});

/** Even kinds ask for a string, odd ones for an integer. */
const typesByKind = (count: number): Fields => ({
  type: "object",
  properties: { kind: { type: "string" } },
  required: ["kind"],
  allOf: names(count).map((name, index) =>
    branch(
      { properties: { kind: { const: name } } },
      { properties: { value: { type: index % 2 === 0 ? "string" : "integer" } } },
    ),
  ),
});

/** Each property asks for the next one. */
const ring = (count: number): Fields => ({
  type: "object",
  dependentRequired: Object.fromEntries(
    names(count).map((name, index) => [name, [`p${(index + 1) % count}`]]),
  ),
});

describe("many choices about single properties are not multiplied out", () => {
  test.each<[string, Fields, Json[], Json[]]>([
    [
      "30 conditions",
      conditions(30),
      [{}, { p0: 2 }, { p0: 1, p29: 3, p0b: 0 }],
      [{ p0: 1 }, { p0: 1, p1b: 1 }],
    ],
    [
      "50 dependent names",
      dependents(50),
      [{}, { p7b: 1 }, { p7: 1, p7b: 1 }],
      [{ p7: 1 }, { p7: 1, p8b: 1 }],
    ],
    ["100 kinds", kinds(100), [{ kind: "p99", p99b: 1 }], [{ kind: "p99" }, {}, { kind: "p99", p98b: 1 }]],
    [
      "100 listed kinds with a type each",
      typedKinds(100, { enum: names(100) }),
      [
        { kind: "p99", p99b: 1 },
        { kind: "p7", p7b: 1, p8b: "x" },
      ],
      [{ kind: "p99" }, { kind: "p7", p7b: "x" }, { kind: "p7", p8b: 1 }, { kind: "other" }],
    ],
    [
      "100 kinds among all strings, with a type each",
      typedKinds(100, { type: "string" }),
      [{ kind: "p99", p99b: 1 }, { kind: "other" }, { kind: "other", p7b: "x" }],
      [{ kind: "p99" }, { kind: "p7", p7b: "x" }, { kind: 1 }, { p7b: 1 }],
    ],
    [
      "100 kinds that decide the type of one property",
      typesByKind(100),
      [
        { kind: "p98", value: "x" },
        { kind: "p99", value: 1 },
        { kind: "p99" },
        { kind: "other", value: true },
      ],
      [{ kind: "p98", value: 1 }, { kind: "p99", value: "x" }, { value: "x" }],
    ],
    [
      "a ring of 40 names",
      ring(40),
      [{}, Object.fromEntries(names(40).map((name) => [name, 1]))],
      [{ p3: 1 }, Object.fromEntries(names(39).map((name) => [name, 1]))],
    ],
    [
      "a ring of 40 names, but at most 39 properties",
      { ...ring(40), maxProperties: 39 },
      [{}],
      [{ p3: 1 }, Object.fromEntries(names(40).map((name) => [name, 1]))],
    ],
  ])("%s", (_, schema, valid, invalid) => {
    const handle = normalizeSchema(schema).root;
    for (const order of ["required", "schema", "any"] as const) {
      const made = formalLanguageOf(compileJsonSchema(schema, { order }));
      expect(valid.filter((value) => !made.accepts(JSON.stringify(value)))).toEqual([]);
      expect(invalid.filter((value) => made.accepts(JSON.stringify(value)))).toEqual([]);
    }
    expect(valid.filter((value) => !acceptsNormal(handle, value))).toEqual([]);
    expect(invalid.filter((value) => acceptsNormal(handle, value))).toEqual([]);
  });

  test.each([4, 5, 8])("%i conditions beside 1,500 properties are accepted", (count) => {
    const properties = Object.fromEntries(names(1_500).map((name) => [name, { type: "integer" }]));
    const dependentRequired = Object.fromEntries(names(count).map((name) => [name, [`${name}00`]]));
    const schema = { type: "object", properties, dependentRequired };
    expect(() => compileJsonSchema(schema)).not.toThrow();
  });

  test("a name is not begun if what it asks for can no longer come", () => {
    const properties = Object.fromEntries(names(40).map((name) => [name, {}]));
    const schema = { ...ring(40), properties, additionalProperties: false };
    const made = formalLanguageOf(compileJsonSchema(schema, { order: "schema" }));
    expect(made.begins('{"p0')).toBe(true);
    expect(made.begins('{"p1')).toBe(false);
  });
});

/** Choices about five names with few values, so that many of them meet in one name. */
class Maker {
  readonly #seed: number;
  #draw = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  random = () => uniformRandom(this.#seed, this.#draw++);
  below = (count: number) => Math.floor(this.random() * count);
  pick = <Item>(items: readonly Item[]) => items[this.below(items.length)] as Item;
  some = <Item>(items: readonly Item[]) => items.filter(() => this.random() < 0.3);
  /** The items in the order from the first one on, or backwards. */
  eitherWay = <Item>(items: readonly Item[]) => (this.random() < 0.5 ? items : items.toReversed());
}

const few = ["a", "b", "c", "d", "e"];
const values: readonly Json[] = [0, 1, 2, "x", true];

function asked(maker: Maker): Json {
  return maker.pick<() => Json>([
    () => ({ required: [maker.pick(few)] }),
    () => ({ properties: { [maker.pick(few)]: { const: maker.pick(values) } } }),
    () => ({ properties: { [maker.pick(few)]: { type: maker.pick(["integer", "string"]) } } }),
    () => ({ properties: { [maker.pick(few)]: false } }),
    () => ({ required: maker.some(few), properties: { [maker.pick(few)]: { maximum: 1 } } }),
  ])();
}

function schemaOf(maker: Maker): Fields {
  const listed = { enum: [...new Set([maker.pick(values), ...maker.some(values)])] };
  return {
    type: "object",
    properties: { a: maker.random() < 0.5 ? listed : {}, b: {}, c: { type: "integer" } },
    required: maker.random() < 0.3 ? [maker.pick(few)] : [],
    dependentRequired: Object.fromEntries(few.map((name) => [name, maker.some(few)])),
    dependentSchemas: { [maker.pick(few)]: asked(maker) },
    allOf: Array.from({ length: 4 }, () =>
      maker.random() < 0.5
        ? branch(asked(maker), asked(maker))
        : { ...branch(asked(maker), asked(maker)), else: asked(maker) },
    ),
    additionalProperties: maker.pick<Json>([true, true, false, { type: "integer" }]),
    maxProperties: 3 + maker.below(3),
  };
}

/** Each value of `a` asks for something else. */
function kindsOf(maker: Maker): Fields {
  const kind = maker.pick<Json>([{}, { type: "integer" }, { type: ["integer", "string"] }, { minimum: 1 }]);
  const lists: Json[] = values.map((value) => ({ const: value }));
  for (let more = 0; more < 3; more++) lists.push({ enum: [...new Set([1, "y", ...maker.some(values)])] });
  return {
    type: "object",
    properties: { ...Object.fromEntries(few.map((name) => [name, {}])), a: kind },
    additionalProperties: false,
    required: maker.random() < 0.5 ? ["a"] : [],
    allOf: lists.map((list) =>
      maker.random() < 0.7
        ? branch({ properties: { a: list } }, asked(maker))
        : { ...branch({ properties: { a: list }, required: ["a"] }, asked(maker)), else: asked(maker) },
    ),
  };
}

function languageIfAny(schema: Fields, options: JsonOptions): FormalLanguage | null {
  try {
    return formalLanguageOf(compileJsonSchema(schema, options));
  } catch (error) {
    if (error instanceof StrategyError) return null;
    throw error;
  }
}

const SCHEMAS = Number(process.env.RANDOM_SCHEMAS ?? 20);
const FIRST = Number(process.env.RANDOM_FIRST ?? 0);

test.each([
  ["choices", schemaOf],
  ["values of one property", kindsOf],
])("random %s: ajv and the language agree", { timeout: 600_000 }, (_, schemaOf) => {
  const wrong: string[] = [];
  let made = 0;
  for (let seed = FIRST; seed < FIRST + SCHEMAS; seed++) {
    const maker = new Maker(seed);
    const schema = schemaOf(maker);
    const isValid = validatorOf(schema, "2020-12");
    const instances = Array.from({ length: 60 }, () =>
      Object.fromEntries(
        maker.eitherWay(maker.some([...few, "f"])).map((name) => [name, maker.pick(values)]),
      ),
    );
    for (const order of ["any", "required", "schema"] as const) {
      const language = languageIfAny(schema, { order });
      if (language === null) {
        if (instances.some((value) => isValid(value))) wrong.push(`refused: ${JSON.stringify(schema)}`);
        continue;
      }
      made++;
      for (const value of instances) {
        const text = JSON.stringify(value);
        const isAccepted = language.accepts(text);
        if (isAccepted ? !isValid(value) : order === "any" && isValid(value))
          wrong.push(`${seed} ${order} ${text}`);
      }
      for (let walk = 0; walk < 3; walk++) {
        const text = language.randomText(maker.random, 40);
        if (!isValid(JSON.parse(text))) wrong.push(`${seed} ${order} walk ${text}`);
      }
    }
  }
  expect(wrong).toEqual([]);
  expect(made).toBeGreaterThan(SCHEMAS);
});
