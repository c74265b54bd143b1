import { describe, expect, test } from "vitest";
import { validatorOf } from "./ajv.ts";
import { readCase, type SchemaCase } from "./cases.ts";
import { readCorpus } from "./corpus.ts";
import { readSuite } from "./suite.ts";

/** Instances whose label ajv does not share, and schemas that it does not take. */
function disagreements({ name, dialect, schema, valid, invalid }: SchemaCase): string[] {
  let validate: ReturnType<typeof validatorOf>;
  try {
    validate = validatorOf(schema, dialect);
  } catch (error) {
    return [`${name}: ${error}`];
  }
  return [
    ...valid.flatMap((value, index) =>
      validate(value) ? [] : [`${name}, valid ${index}: ${JSON.stringify(validate.errors?.[0])}`],
    ),
    ...invalid.flatMap(({ breaks, value }, index) =>
      validate(value) ? [`${name}, invalid ${index} (${breaks}) is valid: ${JSON.stringify(value)}`] : [],
    ),
  ];
}

describe("the corpus", () => {
  const corpus = readCorpus();

  test("has 250 schemas with names of their own", () => {
    expect(corpus.length).toBe(250);
    expect(new Set(corpus.map(({ name }) => name)).size).toBe(corpus.length);
    expect(new Set(corpus.map(({ schema }) => JSON.stringify(schema))).size).toBe(corpus.length);
  });

  test("has at least two valid and three invalid instances of each, breaking different keywords", () => {
    const few = corpus.filter(
      ({ valid, invalid }) =>
        valid.length < 2 || invalid.length < 3 || new Set(invalid.map(({ breaks }) => breaks)).size < 2,
    );
    expect(few.map(({ name }) => name)).toEqual([]);
  });

  test("ajv agrees with every label", () => {
    expect(corpus.flatMap(disagreements)).toEqual([]);
  });
});

describe("the suite", () => {
  const suite = readSuite();

  test("has 1,300 instances and more", () => {
    const instances = suite.reduce((sum, { valid, invalid }) => sum + valid.length + invalid.length, 0);
    expect(instances).toBeGreaterThanOrEqual(1_300);
    const names = suite.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test("ajv agrees with every label", () => {
    expect(suite.flatMap(disagreements)).toEqual([]);
  });
});

describe("an edit", () => {
  const written = {
    name: "edits",
    schema: {},
    valid: [{ a: [1, { b: 2 }], "x/y": 3 }, [0]],
  };
  test.each([
    [["k", "/a/1/b", 9], { a: [1, { b: 9 }], "x/y": 3 }],
    [["k", "/a/0"], { a: [{ b: 2 }], "x/y": 3 }],
    [["k", "/a/2", 5], { a: [1, { b: 2 }, 5], "x/y": 3 }],
    [["k", "/x~1y"], { a: [1, { b: 2 }] }],
    [["k", "/new", null], { a: [1, { b: 2 }], "x/y": 3, new: null }],
    [
      ["k", "1/1", 7],
      [0, 7],
    ],
    [["k", "", 7], 7],
  ] as const)("%j", (edit, value) => {
    expect(readCase({ ...written, invalid: [edit] }).invalid).toEqual([{ breaks: "k", value }]);
  });
  test.each([
    [["k", "/c"]],
    [["k", "/a/2"]],
    [["k", "/c/d", 1]],
    [["k", "5/a", 1]],
    [["k", "/x~1y/z", 1]],
  ] as const)("%j points nowhere", (edit) => {
    expect(() => readCase({ ...written, invalid: [edit] })).toThrow(/nowhere|no valid instance/);
  });
});

test.each(["draft-04", "draft-06", "draft-07", "2019-09", "2020-12"] as const)(
  "ajv takes no schema that is none in %s, also after one that is",
  (dialect) => {
    const schema = (minLength: number) => ({ properties: { a: { minLength } } });
    expect(validatorOf(schema(1), dialect)({ a: "" })).toBe(false);
    expect(() => validatorOf(schema(-1), dialect)).toThrow("schema is invalid");
  },
);
