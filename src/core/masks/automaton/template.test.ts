import { describe, expect, test } from "vitest";
import { numberExpression } from "../json-schema/scalars/number.ts";
import { anyNumber } from "../json-schema/scalars/scalars.ts";
import { byteSet } from "./byte-set.ts";
import { type Expression, Expressions } from "./expression.ts";
import { fromTemplate, templateOf } from "./template.ts";

type Make = (e: Expressions) => Expression;

const some: Readonly<Record<string, Make>> = {
  nothing: (e) => e.nothing,
  "the empty text": (e) => e.empty,
  "a byte": (e) => e.byte(0x61),
  "a text": (e) => e.literal("the end"),
  choices: (e) => e.union(e.literal("ab"), e.literal("ac"), e.empty, e.byte(0x30, 0x39)),
  repetitions: (e) => e.repeat(e.union(e.literal("ab"), e.bytes(byteSet([1, 5], [9, 9]))), 2, 7),
  "any number": (e) => numberExpression(e, anyNumber),
  "any integer": (e) => numberExpression(e, { ...anyNumber, integer: true }),
  "numbers from -3.25 to 1e9": (e) => numberExpression(e, { ...anyNumber, minimum: -3.25, maximum: 1e9 }),
  "numbers above 0": (e) => numberExpression(e, { ...anyNumber, minimum: 0, exclusiveMinimum: true }),
};

const otherwise: Readonly<Record<string, Make>> = {
  "a rule": (e) =>
    e.sequence(
      e.byte(0x61),
      e.rule("r", () => e.byte(0x62)),
    ),
  "what is taken away": (e) => e.difference(e.repeat(e.byte(0x61), 0, 9), e.literal("aa")),
  "a budget": (e) => e.union(e.literal("x"), e.budget(e.repeat(e.byte(0x61), 1, 9), 3)),
};

describe("templates", () => {
  test.each(Object.entries(some))("%s is the same expression as when it is made there", (_, make) => {
    const template = templateOf(make(new Expressions()));
    for (const isMadeFirst of [true, false]) {
      const e = new Expressions();
      // Others before it, so that it has other numbers here, and some of its parts are there already.
      e.union(e.literal("other"), e.byte(0x30, 0x39), e.literal("c"), e.literal("b"));
      const [made, taken] = isMadeFirst
        ? [make(e), template && fromTemplate(e, template)]
        : [template && fromTemplate(e, template), make(e)];
      expect(taken).toBe(made);
    }
  });

  test.each(Object.entries(otherwise))("%s has none", (_, make) => {
    expect(templateOf(make(new Expressions()))).toBeNull();
  });
});
