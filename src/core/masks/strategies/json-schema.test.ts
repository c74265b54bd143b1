import { describe, expect, test } from "vitest";
import type { JsonOptions } from "../json-schema/compile.ts";
import { isStrategy } from "../strategy.ts";
import { StrategyError } from "../strategy-error.ts";
import { languageOf } from "../testing/walks.ts";
import { anyJsonObject, jsonSchema } from "./json-schema.ts";

const pair = { type: "object", properties: { a: { const: 1 }, b: { const: 2 } }, required: ["a", "b"] };

describe("jsonSchema", () => {
  test.each([
    [{}, ['{"a":1,"b":2}'], ['{"b":2,"a":1}', '{"a": 1, "b": 2}']],
    [{ order: "any" }, ['{"a":1,"b":2}', '{"b":2,"a":1}'], ['{ "a":1,"b":2}']],
    [{ whiteSpace: "spaced" }, ['{"a": 1, "b": 2}'], ['{"a":1,"b":2}']],
    [{ whiteSpace: "free" }, ['{"a":1,"b":2}', '\n{ "a" : 1 ,\n"b":2 }'], ['{"a":1,"b":2} ']],
  ] as const satisfies readonly (readonly [JsonOptions, readonly string[], readonly string[]])[])(
    "%j",
    (options, yes, no) => {
      const strategy = jsonSchema(pair, options);
      expect(isStrategy(strategy)).toBe(true);
      expect(strategy.kind).toBe("jsonSchema");
      expect(strategy.answerOf('{"a":1}')).toBe('{"a":1}');
      const made = languageOf(strategy.build);
      expect(yes.filter((text) => !made.accepts(text))).toEqual([]);
      expect(no.filter((text) => made.accepts(text))).toEqual([]);
    },
  );

  test.each([
    [{ order: "random" }, /jsonSchema, order: "random" is none of its values: write "schema" or "any"/],
    [{ whiteSpace: "" }, /jsonSchema, whiteSpace: "" is none/],
    [{ whitespace: "free" }, /jsonSchema, whitespace: there is no such option/],
    ["free", /options/],
  ] as const)("options %j are refused", (options, message) => {
    expect(() => jsonSchema(pair, options as unknown as JsonOptions)).toThrow(StrategyError);
    expect(() => jsonSchema(pair, options as unknown as JsonOptions)).toThrow(message);
  });

  test("a schema that cannot be enforced, or met, is refused with its path", () => {
    expect(() => jsonSchema({ properties: { a: { pattern: "(?=x)" } } })).toThrow(
      /#\/properties\/a\/pattern/,
    );
    expect(() => jsonSchema(false)).toThrow(/no value is valid/);
  });
});

test("any object", () => {
  const made = languageOf(anyJsonObject().build);
  expect(made.accepts('{"a":{"b":[1,null]}}')).toBe(true);
  expect(made.accepts("1")).toBe(false);
  expect(() => anyJsonObject({ order: "x" } as unknown as JsonOptions)).toThrow(/anyJsonObject, order/);
});
