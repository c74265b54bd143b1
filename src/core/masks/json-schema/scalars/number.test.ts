import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Automaton } from "../../automaton/automaton.ts";
import { Expressions } from "../../automaton/expression.ts";
import { formalLanguageOf } from "../../testing/walks.ts";
import { EffortMeter } from "../effort.ts";
import type { NumberAlternative } from "../normal-form.ts";
import { decimalOf, isMultiple, nextDown, nextUp } from "./decimal.ts";
import { matchesNumber, numberExpression } from "./number.ts";
import { isNumberPossible as isPossibleWithin } from "./number-possible.ts";
import { anyNumber } from "./scalars.ts";

const isNumberPossible = (asked: NumberAlternative) => isPossibleWithin(asked, new EffortMeter());

function acceptor(part: Partial<NumberAlternative>): (text: string) => boolean {
  return formalLanguageOf((expressions) => numberExpression(expressions, { ...anyNumber, ...part })).accepts;
}

const grammar = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

test.each([
  "0",
  "-0",
  "1",
  "-12",
  "1.5",
  "0.0",
  "1e5",
  "1E+05",
  "1.25e-3",
  "",
  "-",
  "01",
  "--1",
  "1e",
  "1.5.2",
  "1.",
  ".5",
  "+1",
  "1e+",
  "NaN",
  "Infinity",
  "0x1",
  " 1",
])("any number: %j as RFC 8259 has it", (text) => {
  expect(acceptor({})(text)).toBe(grammar.test(text));
  expect(acceptor({ minimum: 0 })(text)).toBe(grammar.test(text) && !text.startsWith("-"));
});

const pi = "3.141592653589793238462643383279502884197169399375105820974944592307816406286";

test.each([
  ["any number", {}],
  ["from 0", { minimum: 0 }],
  ["above 0", { minimum: 0, exclusiveMinimum: true }],
  ["up to 10", { maximum: 10 }],
  ["between bounds", { minimum: 3, maximum: 4 }],
  ["between far bounds", { minimum: -1, maximum: 1234 }],
])("%s: a fraction has at most 17 significant digits", (_, part: Partial<NumberAlternative>) => {
  const accepts = acceptor(part);
  expect(accepts(pi.slice(0, 18))).toBe(true);
  expect(accepts(pi.slice(0, 20))).toBe(false);
  expect(accepts(pi)).toBe(false);
});

test.each([
  ["any number", {}],
  ["from 0 to 1", { minimum: 0, maximum: 1 }],
  ["above 0, below 1", { minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true }],
  ["from -1 to 1", { minimum: -1, maximum: 1 }],
  ["from 0.0001", { minimum: 0.0001 }],
  ["from 0.0001 to 0.5", { minimum: 0.0001, maximum: 0.5 }],
  ["up to 0.5", { maximum: 0.5 }],
])("%s: below 1, zeros at the beginning are not counted", (_, part: Partial<NumberAlternative>) => {
  const accepts = acceptor(part);
  for (const zeros of ["0.", "0.0", "0.00"]) {
    expect(accepts(`${zeros}31234567890123456`)).toBe(true);
    expect(accepts(`${zeros}312345678901234567`)).toBe(false);
    expect(accepts(`${zeros}3${"0".repeat(30)}`)).toBe(false);
  }
});

test("every number that JSON.stringify writes is allowed", () => {
  const schemas = [{}, { minimum: 0 }, { minimum: 0, exclusiveMinimum: true }];
  const ranges = [
    { minimum: 0, maximum: 1 },
    { minimum: 0.1, maximum: 1e6 },
  ];
  const any = schemas.map(acceptor);
  const within = ranges.map((part) => [part, acceptor(part)] as const);
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: 1e-320 }), (value) => {
      expect(any.map((accepts) => accepts(JSON.stringify(value)))).toEqual([true, true, true]);
    }),
  );
  fc.assert(
    fc.property(fc.double({ noNaN: true, min: 1e-6, max: 1e6 }), (value) => {
      for (const [{ minimum, maximum }, accepts] of within)
        expect(accepts(JSON.stringify(value))).toBe(value >= minimum && value <= maximum);
    }),
  );
});

test("small numbers keep 17 digits behind the zeros", () => {
  for (const part of [{}, { minimum: 0, maximum: 1 }]) {
    expect(acceptor(part)("0.0000012345678901234567")).toBe(true);
    expect(acceptor(part)("0.0000000000000000000000000000000000000000000")).toBe(false);
    expect(acceptor(part)(`0.${"3".repeat(45)}`)).toBe(false);
  }
});

test.each([
  ["above 0", { minimum: 0, exclusiveMinimum: true }],
  ["above 0, up to 1", { minimum: 0, exclusiveMinimum: true, maximum: 1 }],
  ["above 0, up to 0.5", { minimum: 0, exclusiveMinimum: true, maximum: 0.5 }],
  ["from the smallest double", { minimum: 5e-324 }],
  ["from minus 1, below 0", { minimum: -1, maximum: 0, exclusiveMaximum: true }],
])("%s: at most 20 zeros follow the point", (name, part: Partial<NumberAlternative>) => {
  const sign = name.startsWith("from minus") ? "-" : "";
  const { accepts, begins } = formalLanguageOf((expressions) =>
    numberExpression(expressions, { ...anyNumber, ...part }),
  );
  for (const zeros of [0, 1, 7, 19, 20]) expect(accepts(`${sign}0.${"0".repeat(zeros)}12`)).toBe(true);
  for (const zeros of [21, 22, 100, 323]) expect(begins(`${sign}0.${"0".repeat(zeros)}`)).toBe(false);
});

test("a range of numbers below 1e-21 keeps the zeros that its bounds have", () => {
  const accepts = acceptor({ minimum: 0, exclusiveMinimum: true, maximum: 2e-30 });
  expect(accepts(`0.${"0".repeat(29)}2`)).toBe(true);
  expect(accepts(`0.${"0".repeat(29)}1`)).toBe(true);
  expect(accepts(`0.${"0".repeat(30)}5`)).toBe(true);
  expect(accepts(`0.${"0".repeat(29)}3`)).toBe(false);
  expect(acceptor({ minimum: 1e-30, maximum: 1e-30 })(`0.${"0".repeat(29)}1`)).toBe(true);
});

test.each([
  ["from 1.0001", { minimum: 1.0001 }, "1.0"],
  ["from 1.000001 to 9", { minimum: 1.000001, maximum: 9 }, "1.00"],
])("%s: zeros after the point count behind a 1", (_, part: Partial<NumberAlternative>, start) => {
  const accepts = acceptor(part);
  expect(accepts(start.padEnd(18, "5"))).toBe(true);
  expect(accepts(start.padEnd(19, "5"))).toBe(false);
});

/** All texts of an optional sign, up to `whole` digits and up to `fraction` digits after a point. */
function decimalTexts(whole: number, fraction: number): string[] {
  const runs = (length: number): string[] =>
    length === 0
      ? [""]
      : runs(length - 1).flatMap((run) => ([...run, ""].length ? [..."0123456789"].map((d) => run + d) : []));
  const wholes = Array.from({ length: whole }, (_, length) => runs(length + 1)).flat();
  const fractions = [
    "",
    ...Array.from({ length: fraction }, (_, length) => runs(length + 1).map((run) => `.${run}`)).flat(),
  ];
  return wholes.flatMap((a) => fractions.flatMap((b) => [a + b, `-${a}${b}`]));
}

const texts = [...decimalTexts(2, 2), ...decimalTexts(4, 0)];

/** The values of the alternative, in thousandths. */
function isValid(part: Partial<NumberAlternative>, text: string): boolean {
  const value = Number(text);
  const asked = { ...anyNumber, ...part };
  return matchesByArithmetic(asked, value);
}

function matchesByArithmetic(asked: NumberAlternative, value: number): boolean {
  const units = (number: number) => Math.round(number * 1e6);
  const isMultiple = (divisor: number) => units(value) % units(divisor) === 0;
  return (
    (asked.exclusiveMinimum ? value > asked.minimum : value >= asked.minimum) &&
    (asked.exclusiveMaximum ? value < asked.maximum : value <= asked.maximum) &&
    (!asked.integer || Number.isInteger(value)) &&
    asked.multipleOf.every(isMultiple) &&
    !asked.notMultipleOf.some(isMultiple) &&
    !asked.except.includes(value)
  );
}

/** Whether a text may be offered: no needless zeros in front, no -0 where nothing else is negative; integers, and multiples of integers, without a point. */
function isSpelled(part: Partial<NumberAlternative>, text: string): boolean {
  if (!grammar.test(text)) return false;
  const isWhole = part.integer || part.multipleOf?.some((divisor) => Number.isInteger(divisor));
  const isNeedless = part.minimum === 0 && text.startsWith("-");
  return !(isWhole && text.includes(".")) && !isNeedless;
}

const cases: Partial<NumberAlternative>[] = [
  { minimum: 0 },
  { minimum: 0, exclusiveMinimum: true },
  { minimum: 0.05, maximum: 12.3 },
  { minimum: -5, maximum: 17 },
  { minimum: -5.25, maximum: -0.5 },
  { minimum: -5.25, maximum: 0, exclusiveMaximum: true },
  { minimum: 1, maximum: 1 },
  { minimum: 9.99, maximum: 10.01 },
  { minimum: 9.9, maximum: 10, exclusiveMinimum: true, exclusiveMaximum: true },
  { maximum: 42 },
  { maximum: -42.5 },
  { minimum: 7, maximum: 7000 },
  { integer: true },
  { integer: true, minimum: -120, maximum: 99 },
  { integer: true, minimum: 1, maximum: 9 },
  { integer: true, minimum: 18 },
  { integer: true, minimum: 0.5, maximum: 3.5 },
  { integer: true, minimum: 0, exclusiveMinimum: true, maximum: 100, exclusiveMaximum: true },
  { integer: true, multipleOf: [7] },
  { multipleOf: [7], minimum: -50, maximum: 700 },
  { multipleOf: [1] },
  { multipleOf: [0.5] },
  { multipleOf: [0.01], minimum: 0.07, maximum: 20 },
  { multipleOf: [0.25, 0.1] },
  { multipleOf: [2.5], minimum: -10, exclusiveMinimum: true },
  { multipleOf: [0.05], minimum: 0.5, maximum: 0.95 },
  { multipleOf: [1.5, 2] },
  { multipleOf: [0.1], integer: true },
  { notMultipleOf: [1] },
  { notMultipleOf: [3], integer: true },
  { notMultipleOf: [0.5], minimum: 0, maximum: 10 },
  { multipleOf: [2], notMultipleOf: [3, 4], maximum: 100 },
  { except: [0, 5, -1.5] },
  { except: [3], integer: true, minimum: 2, maximum: 4 },
];

test.each(cases)("%j over all short decimals", (part) => {
  const accepts = acceptor(part);
  const wrong = texts.filter((text) => accepts(text) !== (isSpelled(part, text) && isValid(part, text)));
  expect(wrong).toEqual([]);
  expect(isNumberPossible({ ...anyNumber, ...part })).toBe(true);
});

test.each<[string, Partial<NumberAlternative>]>([
  ["out of order", { minimum: 2, maximum: 1 }],
  ["no integer between", { integer: true, minimum: 0.1, maximum: 0.9 }],
  ["one value, left out", { minimum: 1, maximum: 1, except: [1] }],
  ["exclusive ends", { minimum: 1, maximum: 1, exclusiveMaximum: true }],
  ["no multiple between", { multipleOf: [7], minimum: 8, maximum: 13 }],
  ["every multiple forbidden", { multipleOf: [4], notMultipleOf: [2] }],
  ["all listed ones left out", { integer: true, minimum: 1, maximum: 3, except: [1, 2, 3] }],
  ["each third or even", { integer: true, minimum: 2, maximum: 4, notMultipleOf: [2, 3] }],
  [
    "no double between",
    { minimum: 1, maximum: 1.0000000000000002, exclusiveMinimum: true, exclusiveMaximum: true },
  ],
])("nothing: %s", (_, part) => {
  expect(isNumberPossible({ ...anyNumber, ...part })).toBe(false);
  const expressions = new Expressions();
  expect(new Automaton(expressions, numberExpression(expressions, { ...anyNumber, ...part })).start).toBe(0);
});

test.each<[Partial<NumberAlternative>, boolean]>([
  [{ minimum: Number.MAX_VALUE, exclusiveMinimum: true }, false],
  [{ maximum: -Number.MAX_VALUE, exclusiveMaximum: true }, false],
  [{ minimum: Number.POSITIVE_INFINITY }, false],
  [{ minimum: Number.MAX_VALUE }, true],
  [{ integer: true, maximum: -Number.MAX_VALUE }, true],
])("%j: the largest doubles", (part, isPossible) => {
  const asked = { ...anyNumber, ...part };
  expect(isNumberPossible(asked)).toBe(isPossible);
  expect(acceptor(part)(`${asked.maximum < 0 ? "-" : ""}17976931348623157${"0".repeat(292)}`)).toBe(
    isPossible,
  );
});

const quarter = fc.integer({ min: -400, max: 400 }).map((value) => value / 4);
const alternatives = fc.record({
  integer: fc.boolean(),
  minimum: fc.oneof(quarter, fc.constant(Number.NEGATIVE_INFINITY)),
  exclusiveMinimum: fc.boolean(),
  maximum: fc.oneof(quarter, fc.constant(Number.POSITIVE_INFINITY)),
  exclusiveMaximum: fc.boolean(),
  multipleOf: fc.array(fc.constantFrom(2, 3, 0.5, 0.25, 1.5, 10), { maxLength: 2 }),
  notMultipleOf: fc.array(fc.constantFrom(4, 5, 1, 0.5), { maxLength: 1 }),
  except: fc.array(quarter, { maxLength: 2 }),
});

describe("random alternatives", () => {
  test("agree with arithmetic, as expression, as predicate and on emptiness", () => {
    fc.assert(
      fc.property(alternatives, fc.array(quarter, { minLength: 20, maxLength: 20 }), (part, values) => {
        const asked = { ...anyNumber, ...part };
        const accepts = acceptor(part);
        let some = false;
        for (const value of values) {
          const valid = matchesByArithmetic(asked, value);
          some ||= valid;
          expect([value, matchesNumber(asked, value)]).toEqual([value, valid]);
          const text = JSON.stringify(value);
          expect([value, accepts(text)]).toEqual([value, valid]);
        }
        const expressions = new Expressions();
        const isEmpty = new Automaton(expressions, numberExpression(expressions, asked)).start === 0;
        expect(isNumberPossible(asked)).toBe(!isEmpty);
        if (some) expect(isEmpty).toBe(false);
      }),
      { numRuns: 200 },
    );
  });
});

test("an exclusive bound leaves out what is read as the bound", () => {
  const accepts = acceptor({ maximum: 0.3, exclusiveMaximum: true, minimum: 0, exclusiveMinimum: true });
  expect(accepts("0.29999999999999999999")).toBe(false);
  expect(accepts("0.29")).toBe(true);
  expect(accepts("0.000000001")).toBe(true);
  expect(accepts("0.000")).toBe(false);
});

test.each([
  [1e-7, "0.0000001"],
  [1e21, "1000000000000000000000"],
  [Number.MAX_SAFE_INTEGER, "9007199254740991"],
])("the bound %d itself is written out", (bound, text) => {
  expect(acceptor({ minimum: bound, maximum: bound })(text)).toBe(true);
  expect(acceptor({ minimum: bound, exclusiveMinimum: true })(text)).toBe(false);
});

test("a divisor with too many digits is refused with its value", () => {
  expect(() => acceptor({ multipleOf: [1234567891] })).toThrow(
    /multipleOf 1234567891 cannot be enforced: use at most nine digits, or four if other keywords/,
  );
  expect(() => isNumberPossible({ ...anyNumber, multipleOf: [99991, 99989] })).toThrow(/99991 and 99989/);
  expect(acceptor({ multipleOf: [9973], minimum: 1 })("99730")).toBe(true);
});

test.each<Partial<NumberAlternative>>([
  { multipleOf: [123457], except: [0] },
  { multipleOf: [123457], except: [0], notMultipleOf: [3] },
])("%j: a divisor above four digits is refused where values are left out", (part) => {
  const message = /multipleOf 123457 cannot be enforced: use at most nine digits, or four if other keywords/;
  expect(() => acceptor(part)).toThrow(message);
  expect(() => isNumberPossible({ ...anyNumber, ...part })).toThrow(message);
});

test("excluded multiples of up to nine digits agree with arithmetic", () => {
  const size = fc.integer({ min: 2, max: 999_999_999 });
  const factors = fc.array(fc.integer({ min: -900, max: 900 }), { minLength: 6, maxLength: 6 });
  fc.assert(
    fc.property(fc.boolean(), fc.array(size, { maxLength: 1 }), size, size, factors, (...given) => {
      const [integer, multipleOf, first, second, offsets] = given;
      const part = { integer, multipleOf, notMultipleOf: [first, second] };
      const accepts = acceptor(part);
      const bases = [...multipleOf, first, second];
      for (const value of bases.flatMap((base, index) => offsets.map((factor) => base * factor + index))) {
        const isValid =
          multipleOf.every((of) => value % of === 0) && value % first !== 0 && value % second !== 0;
        expect([value, accepts(`${value}`)]).toEqual([value, isValid]);
      }
    }),
    { numRuns: 60 },
  );
});

test.each<[Partial<NumberAlternative>, string, boolean]>([
  [{ multipleOf: [0.5] }, `1.5${"0".repeat(15)}`, true],
  [{ multipleOf: [0.5] }, `1.5${"0".repeat(16)}`, false],
  [{ multipleOf: [0.01], minimum: 0, maximum: 1 }, `0.25${"0".repeat(15)}`, true],
  [{ multipleOf: [0.01], minimum: 0, maximum: 1 }, `0.25${"0".repeat(16)}`, false],
  [{ multipleOf: [0.01], minimum: 0, maximum: 1 }, `0.05${"0".repeat(16)}`, true],
  [{ multipleOf: [0.01], minimum: 0, maximum: 1 }, `0.05${"0".repeat(17)}`, false],
  [{ maximum: 1e17 }, "100000000000000000", true],
  [{ maximum: 1e17 }, "100000000000000000.0", false],
  [{ notMultipleOf: [0.5] }, "1.250000", true],
  [{ notMultipleOf: [0.5] }, `0.01${"0".repeat(14)}`, true],
  [{ notMultipleOf: [0.5] }, `0.01${"0".repeat(15)}`, false],
  [{ notMultipleOf: [0.5] }, `1.25${"0".repeat(13)}`, false],
  [{ notMultipleOf: [3] }, "3.000", false],
  [{ notMultipleOf: [3] }, "3.001", true],
  [{ notMultipleOf: [3] }, "4.000", true],
])("%j: no zeros without end: %s %s", (part, text, expected) => {
  expect(acceptor(part)(text)).toBe(expected);
});

const largeDivisors = fc.record({
  divisor: fc.integer({ min: 10_001, max: 999_999_999 }),
  scale: fc.integer({ min: 0, max: 12 }),
  minimum: fc.integer({ min: -5_000, max: 5_000 }),
  width: fc.integer({ min: 1, max: 5_000 }),
  exclusiveMinimum: fc.boolean(),
  exclusiveMaximum: fc.boolean(),
});

/** An integer divided by 10^scale, as a text without zeros at the end of its fraction. */
function decimalText(digits: bigint, scale: number): string {
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, "0");
  const whole = text.slice(0, text.length - scale);
  const fraction = text.slice(text.length - scale).replace(/0+$/, "");
  return `${digits < 0n ? "-" : ""}${whole}${fraction && `.${fraction}`}`;
}

test("multiples of divisors with five to nine digits agree with arithmetic", () => {
  const factors = fc.array(fc.integer({ min: -6_000, max: 6_000 }), { minLength: 5, maxLength: 5 });
  fc.assert(
    fc.property(largeDivisors, factors, (asked, offsets) => {
      const { divisor, scale, minimum, width, exclusiveMinimum, exclusiveMaximum } = asked;
      const value = (digits: bigint) => Number(decimalText(digits, scale));
      const size = BigInt(divisor);
      const maximum = minimum + width;
      const accepts = acceptor({
        multipleOf: [value(size)],
        minimum: value(BigInt(minimum) * size),
        maximum: value(BigInt(maximum) * size),
        exclusiveMinimum,
        exclusiveMaximum,
      });
      for (const factor of [...offsets, minimum, minimum + 1, maximum - 1, maximum]) {
        if (factor === 0) continue;
        const isWithin =
          (exclusiveMinimum ? factor > minimum : factor >= minimum) &&
          (exclusiveMaximum ? factor < maximum : factor <= maximum);
        const digits = BigInt(factor) * size;
        expect(accepts(decimalText(digits, scale))).toBe(isWithin);
        expect(accepts(decimalText(digits + 1n, scale))).toBe(false);
      }
    }),
  );
});

test("bounds whose first multiple is beyond what doubles tell apart are refused", () => {
  const part = { multipleOf: [999_999_937], minimum: 9_007_199_000_000_000 };
  expect(() => isNumberPossible({ ...anyNumber, ...part })).toThrow(/doubles cannot represent all of them/);
});

/** The text that JSON.stringify writes for any finite double: long, tiny and huge ones among them. */
const doubles = fc.double({ noNaN: true, noDefaultInfinity: true });
const written = [
  21,
  1e21,
  1.5e22,
  1e300,
  1e307,
  1e308,
  1.2345e308,
  Number.MAX_VALUE,
  5e-324,
  2.5e-310,
  1.5e-7,
]
  .concat([1e-6, 123456789012345680000, 999999999999999900000, 0.1 + 0.2, 1 / 3, 2 ** 53, 12.5])
  .flatMap((value) => [value, -value]);

test("every finite number may be written as JSON.stringify writes it", () => {
  const [any, positive, integer] = [acceptor({}), acceptor({ minimum: 0 }), acceptor({ integer: true })];
  const check = (value: number) => {
    const text = JSON.stringify(value);
    expect([text, any(text)]).toEqual([text, true]);
    expect([text, positive(text)]).toEqual([text, value >= 0]);
    const isOffered = Number.isInteger(value) && !text.includes(".");
    expect([text, integer(text)]).toEqual([text, isOffered]);
  };
  written.forEach(check);
  fc.assert(fc.property(doubles, check), { numRuns: 500 });
});

test.each([
  "1e309",
  "1e999",
  "2e308",
  "1.8e308",
  "1.79769313486231575e308",
  "1.79769313486231590e+308",
  "99e307",
  "10e308",
  `${"9".repeat(21)}e300`,
  "9".repeat(400),
  `1${"0".repeat(309)}.5`,
  "1e0000000000000000999",
])("%s is no number of a double, and is not offered, whatever the bounds", (text) => {
  const parts: Partial<NumberAlternative>[] = [
    {},
    { minimum: 0 },
    { minimum: 0, exclusiveMinimum: true },
    { minimum: 5 },
    { integer: true },
    { integer: true, minimum: 1 },
    { multipleOf: [5] },
    { notMultipleOf: [7] },
    { except: [1] },
    { integer: true, except: [1] },
    { maximum: Number.MAX_VALUE, minimum: 1 },
    { minimum: 1e308 },
    { minimum: Number.MAX_VALUE },
    { integer: true, minimum: 1e305 },
  ];
  for (const part of parts) expect([part, acceptor(part)(text)]).toEqual([part, false]);
  for (const part of parts)
    expect([part, acceptor({ maximum: 3, ...part })(`-${text}`)]).toEqual([part, false]);
});

/** Texts of numbers as a model may write them: many digits, many zeros, around the limits of doubles. */
const digitRun = fc.oneof(
  fc.stringMatching(/^[0-9]{0,24}$/),
  fc
    .tuple(fc.constantFrom("0", "9", "3"), fc.integer({ min: 0, max: 330 }))
    .map(([one, times]) => one.repeat(times)),
);
const spelledTexts = fc
  .tuple(
    fc.constantFrom("", "-"),
    fc.oneof(
      fc.constant("0"),
      fc.tuple(fc.constantFrom(..."123456789"), digitRun).map((parts) => parts.join("")),
    ),
    fc.oneof(
      fc.constant(""),
      fc.tuple(digitRun, fc.constantFrom(..."0123456789")).map((parts) => `.${parts.join("")}`),
    ),
    fc.oneof(
      fc.constant(""),
      fc
        .tuple(fc.constantFrom("e", "E+", "e-"), fc.integer({ min: 0, max: 400 }))
        .map((parts) => parts.join("")),
    ),
  )
  .map((parts) => parts.join(""));
const nearbyTexts = fc
  .tuple(
    fc.constantFrom(0, 1, 3, 5, 0.3, 2 ** 53, 1e15, 9007199254740994, 1e20),
    fc.integer({ min: -3, max: 3 }),
    digitRun,
  )
  .map(([value, steps, run]) => {
    let near = value;
    for (let step = 0; step < Math.abs(steps); step++) near = neighbour(near, steps > 0);
    const text = near.toLocaleString("en", {
      maximumFractionDigits: 100,
      maximumSignificantDigits: 21,
      useGrouping: false,
    });
    return text.includes(".") ? text + run : text;
  });

function neighbour(value: number, isUp: boolean): number {
  return isUp ? nextUp(value) : nextDown(value);
}

const soundParts: Partial<NumberAlternative>[] = [
  {},
  { minimum: 0 },
  { minimum: 0, exclusiveMinimum: true },
  { maximum: 0.3 },
  { maximum: 0.3, exclusiveMaximum: true },
  { minimum: 2 ** 53 },
  { integer: true },
  { integer: true, maximum: 2 ** 53, exclusiveMaximum: true },
  { integer: true, minimum: 2 ** 53, exclusiveMinimum: true },
  { integer: true, maximum: 1e20, except: [3] },
  { multipleOf: [3] },
  { multipleOf: [0.01] },
  { multipleOf: [0.5], minimum: 0 },
  { notMultipleOf: [1] },
  { notMultipleOf: [3], integer: true },
  { notMultipleOf: [0.1], minimum: 0 },
  { except: [0] },
  { except: [0.3, 3, 2 ** 53] },
  { except: [1e20, 5], integer: true },
];

/** As ajv, by doubles; multiples by what the double is written as. */
function isDoubleValid(part: Partial<NumberAlternative>, value: number): boolean {
  const asked = { ...anyNumber, ...part };
  const decimal = (of: number) => decimalOf(Math.abs(of));
  return (
    Number.isFinite(value) &&
    (asked.exclusiveMinimum ? value > asked.minimum : value >= asked.minimum) &&
    (asked.exclusiveMaximum ? value < asked.maximum : value <= asked.maximum) &&
    (!asked.integer || Number.isInteger(value)) &&
    asked.multipleOf.every((of) => isMultiple(decimal(value), decimal(of))) &&
    !asked.notMultipleOf.some((of) => isMultiple(decimal(value), decimal(of))) &&
    !asked.except.includes(value)
  );
}

test.each(soundParts)("%j: what is offered is valid once it is read as a double", (part) => {
  const accepts = acceptor(part);
  let offered = 0;
  const check = (text: string) => {
    if (!accepts(text)) return;
    offered++;
    expect([text, isDoubleValid(part, Number(text))]).toEqual([text, true]);
  };
  fc.assert(fc.property(spelledTexts, check), { numRuns: 300 });
  fc.assert(fc.property(nearbyTexts, check), { numRuns: 300 });
  expect(offered).toBeGreaterThan(5);
});

test.each<[string, Partial<NumberAlternative>]>([
  ["13074311000773041", { multipleOf: [3] }],
  ["9007199254740993", { integer: true, except: [9007199254740992] }],
  ["1.00000000000000000001", { notMultipleOf: [1] }],
  ["0.00000000000000000000000001e-400", { except: [0] }],
  ["5.0000000000000000000001", { except: [5] }],
  [`0.${"0".repeat(330)}1`, { except: [0] }],
  ["-0", { except: [0] }],
  ["-0.0", { except: [0] }],
  ["-0", { minimum: 0 }],
  ["-0", { notMultipleOf: [1] }],
])("%s is not offered for %j", (text, part) => {
  expect(acceptor(part)(text)).toBe(false);
});

test.each<[string, Partial<NumberAlternative>]>([
  ["-0", {}],
  ["-0", { integer: true }],
  ["0", { minimum: 0 }],
  ["5.000000000000001", { except: [5] }],
  [`0.${"0".repeat(20)}5`, { except: [0] }],
  ["9007199254740994", { integer: true, except: [9007199254740992] }],
  ["999999999999999", { integer: true, multipleOf: [3] }],
])("%s is offered for %j", (text, part) => {
  expect(acceptor(part)(text)).toBe(true);
});

test.each<Partial<NumberAlternative>>([
  { multipleOf: [3], minimum: 1e16 },
  { multipleOf: [3], maximum: -1e16 },
  { integer: true, notMultipleOf: [3], minimum: 1e16 },
])("%j: multiples beyond what doubles tell apart are refused", (part) => {
  expect(() => isNumberPossible({ ...anyNumber, ...part })).toThrow(/doubles cannot represent all of them/);
  expect(() => acceptor(part)).toThrow(/doubles cannot represent all of them/);
});

test.each<Partial<NumberAlternative>>([
  { notMultipleOf: [1], minimum: 1e-20, maximum: 2e-20 },
  { notMultipleOf: [1], minimum: 1e16, maximum: 1e17 },
  { notMultipleOf: [1], minimum: 0, maximum: 0 },
  { except: [0], minimum: 0, maximum: 5e-324 },
  { except: [0, 5e-324], minimum: 0, maximum: 5e-324 },
])("%j: possible exactly when some text is offered", (part) => {
  const expressions = new Expressions();
  const start = new Automaton(expressions, numberExpression(expressions, { ...anyNumber, ...part })).start;
  expect(isNumberPossible({ ...anyNumber, ...part })).toBe(start !== 0);
});
