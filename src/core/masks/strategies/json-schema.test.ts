import { describe, expect, test } from "vitest";
import type { JsonOptions } from "../json-schema/compile.ts";
import { isStrategy } from "../strategy.ts";
import { StrategyError } from "../strategy-error.ts";
import { formalLanguageOf } from "../testing/walks.ts";
import { anyJsonObject, jsonSchema } from "./json-schema.ts";

const pair = { type: "object", properties: { a: { const: 1 }, b: { const: 2 } }, required: ["a", "b"] };

/** Two required properties, and an optional one before, between and behind them. */
const five = {
  type: "object",
  properties: {
    first: { const: 1 },
    a: { const: 1 },
    middle: { const: 1 },
    b: { const: 2 },
    last: { const: 1 },
  },
  required: ["a", "b"],
};

describe("the order of properties", () => {
  const optional = {
    type: "object",
    properties: { year: { const: 1 }, author: { const: 2 }, title: { const: 3 } },
  };
  const made = formalLanguageOf(jsonSchema({ ...optional, additionalProperties: false }).build);
  const open = formalLanguageOf(jsonSchema(optional).build);

  test("optional properties may stand in any order, each at most once", () => {
    const names = ["year", "author", "title"];
    const member = (name: string) => `"${name}":${names.indexOf(name) + 1}`;
    for (const first of names) {
      expect(made.accepts(`{${member(first)}}`)).toBe(true);
      expect(made.accepts(`{${member(first)},${member(first)}}`)).toBe(false);
      for (const second of names.filter((name) => name !== first)) {
        const [third = ""] = names.filter((name) => name !== first && name !== second);
        for (const language of [made, open]) {
          expect(language.accepts(`{${member(first)},${member(second)}}`)).toBe(true);
          expect(language.accepts(`{${[first, second, third].map(member).join()}}`)).toBe(true);
        }
      }
    }
  });

  test("a declared name may also stand behind an undeclared one", () => {
    expect(open.accepts('{"title":3,"other":0,"author":2}')).toBe(true);
    expect(open.accepts('{"title":3,"other":0,"author":3}')).toBe(false);
  });

  test.each([
    ['{"a":1,"b":2}', { required: true, schema: true, any: true }],
    ['{"b":2,"a":1}', { required: false, schema: false, any: true }],
    ['{"a":1,"b":2,"first":1}', { required: true, schema: false, any: true }],
    ['{"last":1,"a":1,"first":1,"b":2,"middle":1}', { required: true, schema: false, any: true }],
    ['{"first":1,"a":1,"middle":1,"b":2,"last":1,"x":0}', { required: true, schema: true, any: true }],
    ['{"a":1,"b":2,"x":0,"last":1}', { required: true, schema: false, any: true }],
    ['{"a":1,"x":0,"b":2}', { required: false, schema: false, any: true }],
    ['{"last":1,"a":1,"last":1,"b":2}', { required: false, schema: false, any: false }],
  ])("%s", (text, orders) => {
    for (const [order, isAllowed] of Object.entries(orders)) {
      const language = formalLanguageOf(jsonSchema(five, { order: order as "any" }).build);
      expect(language.accepts(text), order).toBe(isAllowed);
    }
    expect(formalLanguageOf(jsonSchema(five).build).accepts(text)).toBe(orders.required);
  });
});

describe("jsonSchema", () => {
  test.each([
    [{}, ['{"a":1,"b":2}'], ['{"b":2,"a":1}', '{"a": 1, "b": 2}']],
    [{ order: "any" }, ['{"a":1,"b":2}', '{"b":2,"a":1}'], ['{ "a":1,"b":2}']],
    [{ whiteSpace: "spaced" }, ['{"a": 1, "b": 2}'], ['{"a":1,"b":2}']],
    [{ whiteSpace: "usual" }, ['{"a": 1, "b": 2}', '{\n  "a": 1,\n  "b": 2\n}'], ['{"a":1,"b":2}']],
    [{ whiteSpace: "free" }, ['{"a":1,"b":2}', '\n{ "a" : 1 ,\n"b":2 }'], ['{"a":1,"b":2} ']],
  ] as const satisfies readonly (readonly [JsonOptions, readonly string[], readonly string[]])[])(
    "%j",
    (options, yes, no) => {
      const strategy = jsonSchema(pair, options);
      expect(isStrategy(strategy)).toBe(true);
      expect(strategy.kind).toBe("jsonSchema");
      expect(strategy.answerOf('{"a":1}')).toBe('{"a":1}');
      const made = formalLanguageOf(strategy.build);
      expect(yes.filter((text) => !made.accepts(text))).toEqual([]);
      expect(no.filter((text) => made.accepts(text))).toEqual([]);
    },
  );

  test.each([
    [
      { order: "random" },
      /jsonSchema, order: "random" is not allowed: write "required" or "schema" or "any"/,
    ],
    [{ whiteSpace: "" }, /jsonSchema, whiteSpace: "" is not allowed/],
    [{ whitespace: "free" }, /jsonSchema, whitespace: there is no such option/],
    ["free", /options/],
  ] as const)("options %j are refused", (options, message) => {
    expect(() => jsonSchema(pair, options as unknown as JsonOptions)).toThrow(StrategyError);
    expect(() => jsonSchema(pair, options as unknown as JsonOptions)).toThrow(message);
  });

  test.each([
    "^(?=.*[a-z])(?=.*[A-Z])(?=.*\\d)(?=.*[@$!%*?&])[A-Za-z\\d@$!%*?&]{8,}$",
    "^(?=.*[a-z])(?=.*[A-Z])(?=.*\\d)(?=.*\\W)(?!.*\\s).{8,}$",
    "^(?=.{8,})(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])(?=.*[!@#])(?!.* ).*$",
  ])("a usual pattern of passwords is enforced: %s", (pattern) => {
    const language = formalLanguageOf(jsonSchema({ type: "string", pattern }).build);
    expect(
      ["Abcdefg7!", "abcdefg7!", "Ab7!", "Abcdefg7"].map((text) => language.accepts(`"${text}"`)),
    ).toEqual([true, false, false, false]);
  });

  test("a schema that cannot be enforced, or met, is refused with its path", () => {
    expect(() => jsonSchema({ properties: { a: { pattern: "a*(?!x)" } } })).toThrow(
      /#\/properties\/a\/pattern/,
    );
    expect(() => jsonSchema(false)).toThrow(/no value is valid/);
  });
});

test("any object", () => {
  const made = formalLanguageOf(anyJsonObject().build);
  expect(made.accepts('{"a":{"b":[1,null]}}')).toBe(true);
  expect(made.accepts("1")).toBe(false);
  expect(() => anyJsonObject({ order: "x" } as unknown as JsonOptions)).toThrow(/anyJsonObject, order/);
});
