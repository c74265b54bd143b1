import { describe, expect, test } from "vitest";
import { Automaton } from "../automaton/automaton.ts";
import { Expressions } from "../automaton/expression.ts";
import { describeRepositoryVocabularies } from "../testing/describe-repository-vocabularies.ts";
import { plainAscii, type Recipe, testMasks, wide } from "./mask.conformance.ts";
import { PlainRuns } from "./plain-run.ts";

describeRepositoryVocabularies("masks over %s", testMasks);

describe("plain runs", () => {
  const lengthOf = (make: Recipe) => {
    const expressions = new Expressions();
    const automaton = new Automaton(expressions, make(expressions));
    return new PlainRuns(automaton).of(automaton.start)?.length ?? null;
  };
  const text: Recipe = (e) => e.union(plainAscii(e), wide(e));
  const many = Number.POSITIVE_INFINITY;

  test.each<[string, Recipe, number | null]>([
    ["any text, then a quote", (e) => e.sequence(e.repeat(text(e), 0, many), e.literal('"')), many],
    ["40 to 60 characters", (e) => e.repeat(text(e), 40, 60), 60],
    ["a choice with a literal", (e) => e.union(e.literal("abc"), e.repeat(text(e), 0, many)), many],
    [
      "other than two words",
      (e) => e.difference(e.repeat(text(e), 0, many), e.union(e.literal("abc"), e.literal("de"))),
      many,
    ],
    ["up to 60, other than a word of 3", (e) => e.difference(e.repeat(text(e), 0, 60), e.literal("abc")), 56],
    [
      "until a word",
      (e) =>
        e.sequence(
          e.difference(e.repeat(text(e), 0, many), e.sequence(e.anything, e.literal("abc"), e.anything)),
          e.literal("abc"),
        ),
      3,
    ],
    [
      "with a word somewhere",
      (e) => e.intersection(e.repeat(text(e), 0, many), e.sequence(e.anything, e.literal("abc"), e.anything)),
      many,
    ],
    [
      "what can never end",
      (e) =>
        e.sequence(
          e.repeat(text(e), 0, many),
          e.intersection(e.literal("a"), e.repeat(e.literal("b"), 0, 1)),
        ),
      null,
    ],
    ["digits are few", (e) => e.repeat(e.byte(0x30, 0x39), 0, many), null],
    ["a literal", (e) => e.literal("abc"), null],
  ])("%s", (_, make, expected) => {
    expect(lengthOf(make)).toBe(expected);
  });
});
