/** Numbers of whole schemas: any text that a model may be led to is valid for ajv, which sees what JSON.parse makes of it. */
import { expect, test } from "vitest";
import { uniformRandom } from "../../../base/random.ts";
import { validatorOf } from "../../testing/ajv.ts";
import { formalLanguageOf } from "../../testing/walks.ts";
import { compileJsonSchema } from "../compile.ts";
import type { Json } from "../normal-form.ts";

const schemas: readonly Json[] = [
  { type: "number" },
  { type: "integer" },
  { type: "number", minimum: 0 },
  { type: "number", exclusiveMinimum: 0 },
  { type: "number", minimum: 3 },
  { type: "integer", maximum: 9007199254740996, minimum: 9007199254740985 },
  { type: "integer", exclusiveMinimum: 9007199254740992 },
  { type: "integer", multipleOf: 3 },
  { type: "number", multipleOf: 7 },
  { type: "number", not: { type: "integer" } },
  { type: "number", not: { multipleOf: 3 } },
  { type: "integer", not: { enum: [0, 5, 1e20, 9007199254740992] } },
  { type: "number", not: { const: 0 } },
  { type: "number", not: { enum: [1.5, 0.1, 100] } },
  { oneOf: [{ type: "integer" }, { type: "number", minimum: 1e15 }] },
  {
    anyOf: [
      { type: "integer", multipleOf: 10 },
      { type: "number", exclusiveMaximum: -2.5 },
    ],
  },
  { const: 0 },
  { enum: [0, -1.5, 1e21, 1e-7] },
];

test.each(schemas)("%j", (schema) => {
  const language = formalLanguageOf(compileJsonSchema(schema));
  const isValid = validatorOf(schema, "2020-12");
  let draw = 0;
  const random = () => uniformRandom(7, draw++);
  const wrong: string[] = [];
  for (let walk = 0; walk < 300; walk++) {
    const text = language.randomText(random, walk % 40);
    if (!Number.isFinite(JSON.parse(text)) || !isValid(JSON.parse(text))) wrong.push(text);
  }
  expect(wrong).toEqual([]);
});

test.each<[Json, string, boolean]>([
  [{ type: "number" }, "1e999", false],
  [{ type: "number" }, "1.7976931348623157e+308", true],
  [{ type: "number" }, "1.7976931348623159e+308", false],
  [{ type: "number" }, "5e-324", true],
  [{ type: "integer" }, "1e+21", true],
  [{ type: "integer" }, "-1e+308", true],
  [{ type: "integer" }, "1e20", false],
  [{ type: "number" }, "-0", true],
  [{ type: "number", minimum: 0 }, "-0", false],
  [{ const: 0 }, "-0", false],
  [{ const: 0 }, "0", true],
  [{ enum: [0, 1] }, "-0", false],
  [{ type: "number", not: { const: 0 } }, "-0", false],
  [{ type: "number", not: { const: 0 } }, "0.00", false],
  [{ type: "number", exclusiveMinimum: 0 }, "1e-7", true],
  [{ type: "number", exclusiveMinimum: 0 }, "1e-324", false],
  [{ type: "number", exclusiveMinimum: 0 }, "0e5", false],
  [{ type: "integer", multipleOf: 3 }, "13074311000773041", false],
  [{ type: "integer", multipleOf: 3 }, "9007199254740990", true],
])("%j, %s: %s", (schema, text, expected) => {
  expect(formalLanguageOf(compileJsonSchema(schema)).accepts(text)).toBe(expected);
});
