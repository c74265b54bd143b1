import { expect, test } from "vitest";
import { ConstraintLimitError } from "../strategy-error.ts";
import { Automaton } from "./automaton.ts";
import { countTexts } from "./count-texts.ts";
import { type Expression, Expressions } from "./expression.ts";

const many = Number.POSITIVE_INFINITY;

test.each<[string, (e: Expressions) => Expression, number]>([
  ["nothing", (e) => e.nothing, 0],
  ["the empty text", (e) => e.empty, 1],
  [
    "a few literals, one of them twice",
    (e) => e.union(e.literal("a"), e.literal("ab"), e.sequence(e.byte(97), e.optional(e.byte(98)))),
    2,
  ],
  ["[ab]{1,8}", (e) => e.repeat(e.byte(97, 98), 1, 8), 510],
  ["less what is taken out", (e) => e.difference(e.repeat(e.byte(97, 98), 1, 8), e.literal("ab")), 509],
  ["[a-z]{6}", (e) => e.repeat(e.byte(97, 122), 6, 6), 26 ** 6],
  ["[a-z]{7}: more than any text has", (e) => e.repeat(e.byte(97, 122), 7, 7), many],
  ["a*", (e) => e.repeat(e.byte(97), 0, many), many],
  ["(ab)*c", (e) => e.sequence(e.repeat(e.literal("ab"), 0, many), e.byte(99)), many],
  [
    "a dead end is no way",
    (e) => e.union(e.byte(97), e.intersection(e.repeat(e.byte(98), 0, many), e.byte(99))),
    1,
  ],
])("%s", (_, make, expected) => {
  const expressions = new Expressions();
  const automaton = new Automaton(expressions, make(expressions));
  expect(countTexts(automaton, automaton.start)).toBe(expected);
});

test("a long way without a turn is a bound on work, not on the stack", () => {
  const expressions = new Expressions();
  const automaton = new Automaton(expressions, expressions.repeat(expressions.byte(97), 0, 1e6));
  expect(() => countTexts(automaton, automaton.start)).toThrow(ConstraintLimitError);
});
