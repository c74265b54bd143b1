import fc from "fast-check";
import { expect, test } from "vitest";
import { Automaton, DEAD } from "../automaton/automaton.ts";
import { type Expression, Expressions } from "../automaton/expression.ts";
import type { StringAlternative } from "../json-schema/normal-form.ts";
import { anyString } from "../json-schema/scalars/scalars.ts";
import { stringContent } from "../json-schema/scalars/string.ts";
import { stringTerminal } from "../json-schema/scalars/string-terminal.ts";
import { ConstraintLimitError } from "../strategy-error.ts";
import type { VocabularyTests } from "../testing/describe-repository-vocabularies.ts";
import { hasToken } from "../vocabulary/token-bits.ts";
import { vocabularyOf } from "../vocabulary/vocabulary.ts";
import { makeMask } from "./mask.ts";
import { PlainRuns } from "./plain-run.ts";

const strings: readonly StringAlternative[] = [
  anyString,
  { ...anyString, maxLength: 3 },
  { ...anyString, minLength: 2, maxLength: 40 },
  { ...anyString, minLength: 500 },
  { ...anyString, maxLength: 10_000 },
  { ...anyString, patterns: ["^[a-z]+( [a-z]+)*$"] },
  { ...anyString, patterns: ["[0-9]", "[a-z]"], minLength: 8 },
  { ...anyString, formats: ["date"] },
  { ...anyString, formats: ["email"] },
  { ...anyString, except: ["the", "a", "name", ""] },
];

type Text = (e: Expressions, alternative: StringAlternative) => Expression;
const asTerminal: Text = (e, alternative) => stringTerminal(e, [alternative]);
const written: Text = (e, alternative) => e.sequence(stringContent(e, alternative), e.literal('"'));

/** Languages with strings at places of all kinds, made with string terminals or without. */
const shapes: Readonly<Record<string, (e: Expressions, a: Expression, b: Expression) => Expression>> = {
  alone: (_, a) => a,
  "before a text": (e, a) => e.sequence(e.literal('"'), a, e.literal(', "b"]')),
  "one after the other": (e, a, b) => e.sequence(a, e.literal(',"'), b, e.literal("}")),
  "either, with one end": (e, a, b) => e.sequence(e.union(a, b), e.literal(":")),
  "either, with two ends": (e, a, b) =>
    e.union(e.sequence(a, e.literal(":")), e.sequence(b, e.literal(",  the"))),
  "beside a word": (e, a, b) => e.union(e.sequence(e.literal('the name"'), b), e.sequence(a, e.literal("]"))),
  "many times": (e, a) => e.repeat(e.sequence(e.literal('"'), a, e.literal(",")), 1, 30),
  "without some": (e, a, b) => e.difference(e.sequence(a, e.literal("]")), e.sequence(b, e.literal("]"))),
  "both at once": (e, a, b) => e.intersection(a, b),
  "beside a rule, with one end": (e, a) =>
    e.sequence(
      e.union(
        e.sequence(a, e.literal(":")),
        e.rule("k", () => e.literal('the name":')),
      ),
      e.literal(" 1"),
    ),
  "behind rules": (e, a, b) =>
    e.rule("r", () =>
      e.sequence(
        e.rule("s", () => e.union(a, e.sequence(e.literal("in"), b))),
        e.literal(", the"),
      ),
    ),
  "beside what can never end": (e, a, b) =>
    e.union(
      e.sequence(a, e.intersection(e.repeat(e.literal("a"), 1, 9), e.repeat(e.literal("b"), 1, 9))),
      e.sequence(e.literal("the "), b),
    ),
  "in choices in one another": (e, a, b) =>
    e.sequence(
      e.union(
        e.sequence(e.union(a, e.literal('a"')), e.literal(",")),
        e.sequence(e.union(b, e.literal('in"')), e.literal(":")),
      ),
      e.optional(e.literal(' "')),
    ),
};

/** Defines the tests that string terminals have the masks of the expressions that they stand for. */
export const testStringTerminals: VocabularyTests = (name, tokenizerOf) => {
  const runs = { stories260k: 250, "smollm2-135m": 40, "qwen3-0.6b": 20 }[name];

  test("have the masks of what they stand for, token by token", () => {
    const vocabulary = vocabularyOf(tokenizerOf());
    const one = fc.nat({ max: strings.length - 1 });
    const shape = fc.constantFrom(...Object.keys(shapes));
    let masks = 0;
    // A complement or an intersection of long strings may be too much work.
    let limited = 0;
    const check = (kind: string, [a, b]: readonly number[], choices: readonly number[]) => {
      const make = (text: Text) => {
        const e = new Expressions();
        const [first, second] = [a, b].map((index) => text(e, strings[index as number] as StringAlternative));
        return new Automaton(
          e,
          (shapes[kind] as (typeof shapes)[string])(e, first as Expression, second as Expression),
        );
      };
      const [subject, reference] = [make(asTerminal), make(written)];
      const plainRuns = new PlainRuns(subject);
      let [state, expected] = [subject.start, reference.start];
      for (const choice of choices) {
        subject.begin();
        reference.begin();
        const mask = makeMask({ automaton: subject, vocabulary, runs: plainRuns }, state);
        const allowed: number[] = [];
        for (let token = 0; token < vocabulary.size; token++) {
          const text = vocabulary.bytesOf(token);
          const isAllowed = text.length > 0 && reference.walk(expected, text) !== DEAD;
          if (isAllowed !== hasToken(mask, token)) expect({ token, isAllowed }).toBeNull();
          if (isAllowed) allowed.push(token);
        }
        masks++;
        expect(subject.isAccepting(state)).toBe(reference.isAccepting(expected));
        expect(subject.onlyByte(state)).toBe(reference.onlyByte(expected));
        if (allowed.length === 0) return;
        const bytes = vocabulary.bytesOf(allowed[choice % allowed.length] as number);
        state = subject.tick(subject.walk(state, bytes));
        expected = reference.tick(reference.walk(expected, bytes));
      }
    };
    fc.assert(
      fc.property(
        shape,
        fc.tuple(one, one),
        fc.array(fc.nat(), { minLength: 1, maxLength: 6 }),
        (...given) => {
          try {
            check(...given);
          } catch (error) {
            if (!(error instanceof ConstraintLimitError)) throw error;
            limited++;
          }
        },
      ),
      { numRuns: runs },
    );
    expect(masks).toBeGreaterThan(runs);
    expect(limited).toBeLessThan(runs / 5);
  });
};
