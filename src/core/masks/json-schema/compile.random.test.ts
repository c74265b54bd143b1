import { describe, expect, test } from "vitest";
import { uniformRandom } from "../../base/random.ts";
import { StrategyError } from "../strategy-error.ts";
import { validatorOf } from "../testing/ajv.ts";
import { type FormalLanguage, formalLanguageOf } from "../testing/walks.ts";
import { compileJsonSchema, type JsonOptions } from "./compile.ts";
import type { Json } from "./normal-form.ts";

// Random schemas over few names and few values, so that random instances are often nearly valid. ajv judges.

class Maker {
  readonly #seed: number;
  #draw = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  random = (): number => uniformRandom(this.#seed, this.#draw++);
  chance(probability: number): boolean {
    return this.random() < probability;
  }
  below(count: number): number {
    return Math.floor(this.random() * count);
  }
  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }
  some<Item>(items: readonly Item[], probability = 0.5): Item[] {
    return items.filter(() => this.chance(probability));
  }
  list<Item>(least: number, most: number, make: () => Item): Item[] {
    return Array.from({ length: least + this.below(most - least + 1) }, make);
  }
}

const names = ["a", "b", "ab", "c1"];
const scalars: readonly Json[] = [null, true, false, 0, 1, 2, 3, 6, 1.5, "", "a", "b", "ab", "aab", "c1"];
const patterns = ["^a", "b$", "1", "^[ab]+$", "^.{1,2}$"];

function value(maker: Maker, depth: number): Json {
  const kind = depth === 0 ? 0 : maker.below(4);
  if (kind < 2) return maker.pick(scalars);
  if (kind === 2) return maker.list(0, 3, () => value(maker, depth - 1));
  return Object.fromEntries(maker.some([...names, "d"]).map((name) => [name, value(maker, depth - 1)]));
}

const keywords: Record<string, (maker: Maker, depth: number) => { [keyword: string]: Json }> = {
  type: (maker) => ({
    type: maker.chance(0.5)
      ? maker.pick(["object", "array", "string", "integer", "number", "boolean", "null"])
      : ["object", ...maker.some(["array", "string", "integer", "null"])],
  }),
  enum: (maker) => ({ enum: [...new Set(maker.list(1, 4, () => maker.pick(scalars))), [1], { a: 1 }] }),
  const: (maker, depth) => ({ const: value(maker, depth) }),
  lengths: (maker) => ({ minLength: maker.below(2), maxLength: 1 + maker.below(3) }),
  pattern: (maker) => ({ pattern: maker.pick(patterns) }),
  bounds: (maker) => ({
    minimum: maker.below(3),
    [maker.pick(["maximum", "exclusiveMaximum"])]: 2 + maker.below(4),
  }),
  multipleOf: (maker) => ({ multipleOf: maker.pick([1, 2, 3, 0.5]) }),
  properties: (maker, depth) => ({ properties: members(maker, names, depth) }),
  required: (maker) => ({ required: maker.some([...names, "d"], 0.3) }),
  additional: (maker, depth) => ({ additionalProperties: schema(maker, depth - 1) }),
  closed: () => ({ additionalProperties: false }),
  patternProperties: (maker, depth) => ({ patternProperties: members(maker, patterns, depth, 0.3) }),
  propertyNames: (maker, depth) => ({ propertyNames: schema(maker, depth - 1) }),
  counts: (maker) => ({ minProperties: maker.below(3), maxProperties: 1 + maker.below(4) }),
  dependent: (maker) => ({ dependentRequired: { [maker.pick(names)]: maker.some(names) } }),
  dependentSchemas: (maker, depth) => ({ dependentSchemas: members(maker, names, depth, 0.3) }),
  items: (maker, depth) => ({ items: schema(maker, depth - 1) }),
  prefixItems: (maker, depth) => ({ prefixItems: maker.list(1, 2, () => schema(maker, depth - 1)) }),
  lengthsOfArrays: (maker) => ({ minItems: maker.below(2), maxItems: 1 + maker.below(3) }),
  contains: (maker, depth) => ({
    contains: schema(maker, depth - 1),
    minContains: maker.below(3),
    maxContains: 1 + maker.below(3),
  }),
  unique: (maker) => ({ items: { enum: [0, 1, "a", [1]] }, uniqueItems: maker.chance(0.8) }),
  uniqueAndFree: (maker) => ({
    items: {
      type: maker.pick<Json>(["string", "integer", ["string", "null"], ["number", "boolean", "string"]]),
      ...maker.pick<{ [keyword: string]: Json }>([
        {},
        {},
        { maxLength: 2 },
        { pattern: maker.pick(patterns) },
        { minimum: 1 },
      ]),
    },
    uniqueItems: true,
  }),
  anyOf: (maker, depth) => ({ anyOf: maker.list(1, 3, () => schema(maker, depth - 1)) }),
  oneOf: (maker, depth) => ({ oneOf: maker.list(1, 3, () => schema(maker, depth - 1)) }),
  allOf: (maker, depth) => ({ allOf: maker.list(1, 3, () => schema(maker, depth - 1)) }),
  not: (maker, depth) => ({ not: schema(maker, depth - 1) }),
  if: (maker, depth) => ({
    if: schema(maker, depth - 1),
    ["the".concat("n")]: schema(maker, depth - 1),
    else: schema(maker, depth - 1),
  }),
  recursion: () => ({ items: { $ref: "#" } }),
};

function members(maker: Maker, from: readonly string[], depth: number, probability = 0.5): Json {
  return Object.fromEntries(maker.some(from, probability).map((name) => [name, schema(maker, depth - 1)]));
}

function schema(maker: Maker, depth: number): Json {
  if (depth <= 0) return maker.chance(0.2) ? maker.chance(0.7) : scalarSchema(maker);
  const made: { [keyword: string]: Json } = {};
  for (const keyword of maker.list(1, 4, () => maker.pick(Object.keys(keywords)))) {
    Object.assign(made, keywords[keyword]?.(maker, depth));
  }
  // ajv 8.20.0 takes [] for valid against { prefixItems, contains }; the specification does not (2020-12, validation, 6.4.5).
  if ("contains" in made) delete made.prefixItems;
  return made;
}

function scalarSchema(maker: Maker): Json {
  return Object.assign(
    {},
    ...["type", "enum", "lengths", "pattern", "bounds", "multipleOf", "required"].map((keyword) =>
      maker.chance(0.25) ? keywords[keyword]?.(maker, 1) : {},
    ),
  );
}

/** null where ajv 8.20.0 fails itself: it marks members as evaluated before it has made the table of them. */
function judgeOf(of: Json): (value: Json) => boolean | null {
  const validate = validatorOf(of, "2020-12");
  return (value) => {
    try {
      return validate(value) as boolean;
    } catch (error) {
      if (error instanceof TypeError) return null;
      throw error;
    }
  };
}

/** null where the schema is refused. */
function languageIfAny(of: Json, options: JsonOptions): FormalLanguage | null {
  try {
    return formalLanguageOf(compileJsonSchema(of, options));
  } catch (error) {
    if (error instanceof StrategyError) return null;
    throw error;
  }
}

function refusedOr<Result>(ask: () => Result): Result | null {
  try {
    return ask();
  } catch (error) {
    if (error instanceof StrategyError) return null;
    throw error;
  }
}

const SCHEMAS = Number(process.env.RANDOM_SCHEMAS ?? 60);
const FIRST = Number(process.env.RANDOM_FIRST ?? 0);

describe("random schemas", () => {
  test("ajv and the language agree on random instances, and on texts on random ways", {
    timeout: 600_000,
  }, () => {
    const wrong: string[] = [];
    let refused = 0;
    let accepted = 0;
    for (let seed = FIRST; seed < FIRST + SCHEMAS; seed++) {
      const maker = new Maker(seed);
      const of = schema(maker, 1 + (seed % 3));
      const isValid = judgeOf(of);
      const order = maker.pick(["required", "schema", "any"] as const);
      const any = languageIfAny(of, { order: "any" });
      const walked = languageIfAny(of, {
        order,
        whiteSpace: maker.pick(["compact", "spaced", "usual", "free"] as const),
      });
      if (any === null || walked === null) {
        refused++;
        continue;
      }
      for (let index = 0; index < 30; index++) {
        const instance = value(maker, 3);
        const text = JSON.stringify(instance);
        const answer = refusedOr(() => any.accepts(text));
        const wanted = isValid(instance);
        if (answer !== null && wanted !== null && answer !== wanted)
          wrong.push(`${seed}: ${JSON.stringify(of)} ${answer ? "accepts" : "rejects"} ${text}`);
        if (answer === true) accepted++;
      }
      for (let index = 0; index < 4; index++) {
        const text = refusedOr(() => walked.randomText(maker.random, 4 ** index));
        // ajv sees doubles: from 16 digits on they are others than the decimals that are written.
        const isExact = text !== null && !/\d{16}/.test(text);
        if (isExact && isValid(JSON.parse(text)) === false)
          wrong.push(`${seed}: ${JSON.stringify(of)} writes ${text}`);
        // Numbers of 16 digits and more, and those with an exponent, are rewritten with another one.
        if (text !== null && !/\d{16}|\de/i.test(text) && !any.accepts(JSON.stringify(JSON.parse(text))))
          wrong.push(`${seed}: ${JSON.stringify(of)} writes, but any rejects ${text}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(refused).toBeLessThan(SCHEMAS * 0.4);
    expect(accepted).toBeGreaterThan(SCHEMAS * 3);
  });
});
