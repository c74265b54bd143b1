/** Lists of texts that differ, against the plain definition. */
import { describe, expect, test } from "vitest";
import { Automaton, DEAD } from "./automaton.ts";
import { hasByte } from "./byte-set.ts";
import { Derivatives } from "./derivative.ts";
import { afterByte, distinctText } from "./distinct.ts";
import { type Expression, Expressions } from "./expression.ts";
import type { Sequel } from "./expression-node.ts";

/** Texts of `body` that differ, each with a comma or, the last one, a semicolon after it. */
function listOf(expressions: Expressions, body: Expression): Expression {
  const sequel: Sequel = {
    after: (seen) =>
      expressions.union(
        expressions.literal(";"),
        expressions.sequence(expressions.literal(","), distinctText(expressions, body, seen, sequel)),
      ),
    general: () => sequel.after(expressions.nothing),
  };
  return distinctText(expressions, body, expressions.nothing, sequel);
}

const bodies: readonly (readonly [string, (e: Expressions) => Expression, RegExp])[] = [
  ["one of two", (e) => e.union(e.literal("a"), e.literal("b")), /^[ab]$/],
  ["up to two letters", (e) => e.repeat(e.byte(97, 98), 1, 2), /^[ab]{1,2}$/],
  ["any letters", (e) => e.repeat(e.byte(97, 98), 1, Number.POSITIVE_INFINITY), /^[ab]+$/],
  ["the empty text, too", (e) => e.repeat(e.byte(97), 0, Number.POSITIVE_INFINITY), /^a*$/],
  ["quoted", (e) => e.sequence(e.byte(98), e.repeat(e.byte(97), 0, 2), e.byte(98)), /^ba{0,2}b$/],
];

function* textsUpTo(length: number): Generator<string> {
  if (length === 0) return yield "";
  for (const text of textsUpTo(length - 1)) {
    yield text;
    if (text.length === length - 1) for (const letter of "ab,;") yield text + letter;
  }
}

function isList(text: string, item: RegExp): boolean {
  if (!text.endsWith(";")) return false;
  const items = text.slice(0, -1).split(",");
  return items.every((each) => item.test(each)) && new Set(items).size === items.length;
}

describe.each(bodies)("%s", (_, make, item) => {
  const expressions = new Expressions();
  const automaton = new Automaton(expressions, listOf(expressions, make(expressions)));
  const texts = [...textsUpTo(7)];
  const bytesOf = (text: string) => new TextEncoder().encode(text);

  test("exactly the lists of texts that differ", () => {
    const wrong = texts.filter((text) => {
      automaton.begin();
      const state = automaton.walk(automaton.start, bytesOf(text));
      return automaton.isAccepting(state) !== isList(text, item);
    });
    expect(wrong).toEqual([]);
  });

  test("no dead end: what may follow can be gone on with to an end", () => {
    const begun = new Set([""]);
    for (const text of texts.filter((each) => isList(each, item)))
      for (let end = 1; end <= text.length; end++) begun.add(text.slice(0, end));
    const wrong = texts
      .filter((text) => text.length < 4)
      .filter((text) => (automaton.walk(automaton.start, bytesOf(text)) !== DEAD) !== begun.has(text));
    expect(wrong).toEqual([]);
  });

  test("steps and single bytes say the same, rows allow at least as much; the only byte is found without a row", () => {
    const derivatives = new Derivatives(expressions);
    for (const text of texts.filter((each) => each.length < 5)) {
      const state = automaton.walk(automaton.start, bytesOf(text));
      if (state === DEAD) continue;
      const at = automaton.expressionOf(state);
      const steps = derivatives.steps(at);
      const allowed = [..."ab,;"].filter((letter) => {
        const byte = letter.charCodeAt(0);
        const all = steps.filter(({ set }) => hasByte(set, byte)).map(({ next }) => next);
        const next = automaton.stateOf(expressions.unionOf(all));
        expect(automaton.stateOf(afterByte(expressions, derivatives, at, byte))).toBe(next);
        expect(automaton.step(state, byte)).toBe(next);
        if (next !== DEAD) expect(automaton.row(state)[byte]).not.toBe(DEAD);
        return next !== DEAD;
      });
      const noneOrSeveral = allowed.length === 0 ? -2 : -1;
      expect(automaton.onlyByte(state)).toBe(
        allowed.length === 1 ? allowed[0]?.charCodeAt(0) : noneOrSeveral,
      );
    }
  });
});

test("a shortest text is found without a look at every text", () => {
  const expressions = new Expressions(100_000);
  const word = expressions.sequence(
    expressions.repeat(expressions.byte(97, 122), 4, Number.POSITIVE_INFINITY),
    expressions.literal("."),
  );
  const derivatives = new Derivatives(expressions);
  const automaton = new Automaton(expressions, listOf(expressions, word));
  const begun = automaton.walk(automaton.start, new TextEncoder().encode("aaaa.,baaa.,"));
  expect(derivatives.shortest(automaton.expressionOf(begun))).toHaveLength("caaa.;".length);
});

test("the order of the texts that stand does not make another state", () => {
  const expressions = new Expressions();
  const automaton = new Automaton(
    expressions,
    listOf(expressions, expressions.repeat(expressions.byte(97, 99), 1, 3)),
  );
  const after = (text: string) => automaton.walk(automaton.start, new TextEncoder().encode(text));
  expect(after("a,bb,cab,")).toBe(after("cab,a,bb,"));
  expect(after("a,bb,")).not.toBe(after("a,b,"));
});
