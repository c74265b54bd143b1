import fc from "fast-check";
import { expect, test } from "vitest";
import { uniformRandom } from "../../../base/random.ts";
import { formalLanguageOf } from "../../testing/walks.ts";
import { canonicalNumber } from "./number-spellings.ts";

const numbers = formalLanguageOf((expressions) => canonicalNumber(expressions, false));
const integers = formalLanguageOf((expressions) => canonicalNumber(expressions, true));

test.each([
  ...["0", "1", "-1", "10", "1.5", "-0.5", "0.000001", "1e-7", "1.25e-300", "1e+21", "1.5e+307"],
  ...[
    "9007199254740991",
    "123456789012345000000",
    "1234567890123450",
    "0.123456789012345",
    "99999999999999.9",
  ],
])("%s is how JSON.stringify writes it", (text) => {
  expect(JSON.stringify(JSON.parse(text))).toBe(text);
  expect(numbers.accepts(text)).toBe(true);
  expect(integers.accepts(text)).toBe(Number.isInteger(JSON.parse(text)));
});

test.each([
  "-0",
  "1.0",
  "1.50",
  "1e0",
  "1e5",
  "0.0000001",
  "1E+21",
  "1e21",
  "01",
  "1e-06",
  "1000000000000000000000",
  "",
])("%s is not", (text) => {
  expect(numbers.accepts(text)).toBe(false);
  expect(integers.accepts(text)).toBe(false);
});

test("every number of up to 15 digits", () => {
  const double = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e307, max: 1e307 });
  const digits = fc.integer({ min: 1, max: 15 });
  fc.assert(
    fc.property(double, digits, (value, precision) => {
      const rounded = Number(value.toPrecision(precision));
      fc.pre(rounded === 0 || Math.abs(rounded) >= 1e-307);
      const text = JSON.stringify(rounded);
      expect(numbers.accepts(text)).toBe(true);
      expect(integers.accepts(text)).toBe(Number.isInteger(rounded));
    }),
    { numRuns: 500 },
  );
});

test("what is written on random ways is what JSON.stringify writes", () => {
  let draw = 0;
  for (const language of [numbers, integers]) {
    for (let index = 0; index < 300; index++) {
      const text = language.randomText(() => uniformRandom(1, draw++), index % 25);
      expect(JSON.stringify(JSON.parse(text))).toBe(text);
    }
  }
});
