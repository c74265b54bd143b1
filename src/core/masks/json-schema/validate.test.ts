import Ajv2020 from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { StrategyError } from "../strategy-error.ts";
import { createSchemaValidator } from "./validate.ts";

const schemas: readonly object[] = [
  {},
  { type: "object", properties: { name: { type: "string", maxLength: 3 } }, required: ["name"] },
  { type: "array", items: { type: "integer", minimum: 2 }, minItems: 1, uniqueItems: true },
  { anyOf: [{ const: null }, { enum: ["a", 1] }] },
  { not: { type: "string" } },
  { type: "string", pattern: "^a+$" },
  {
    $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } },
    $ref: "#/$defs/node",
  },
];
const values = [
  ...[null, true, 0, 1, 2.5, 7, "", "a", "aaaa", [], [2], [2, 2], [1], ["a"], {}],
  ...[{ name: "Ann" }, { name: "Anna" }, { name: 3 }, { next: { next: {} } }, { next: { next: 1 } }],
];

test.each(schemas)("%j judges every value as ajv does", (schema) => {
  const isValid = createSchemaValidator(schema);
  const judge = new Ajv2020({ strict: false }).compile(schema);
  expect(values.map((value) => isValid(value))).toEqual(values.map((value) => judge(value)));
});

test("a schema that is none is refused with its path", () => {
  expect(() => createSchemaValidator({ properties: { a: { minLength: -1 } } })).toThrow(StrategyError);
});
