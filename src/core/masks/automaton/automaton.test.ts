import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyString } from "../json-schema/scalars/scalars.ts";
import { stringTerminal } from "../json-schema/scalars/string-terminal.ts";
import { Automaton, DEAD } from "./automaton.ts";
import { type Expression, Expressions } from "./expression.ts";

type Make = (e: Expressions) => Expression;

const name: Make = (e) => stringTerminal(e, [{ ...anyString, except: ["ab", "abc"] }]);
const word: Make = (e) => stringTerminal(e, [{ ...anyString, patterns: ["^[a-c]{1,3}$"] }]);

/** Sorted names, one of which begins another, and what follows each. */
function listed(e: Expressions): Expression {
  const paths = ["a", "ab", 'aba"', 'abc"', "bc"].map((text) => ({ bytes: new TextEncoder().encode(text) }));
  const rest = (first: number, end: number, depth: number): Expression => {
    const expand = () => {
      const parts = paths.slice(first, end).map(({ bytes }, index) => {
        const byte = bytes[depth];
        if (byte === undefined) return e.literal(index + first === 1 ? "b" : ":");
        const from = paths.findIndex((path, at) => at >= first && path.bytes[depth] === byte);
        const to = paths.findLastIndex((path, at) => at < end && path.bytes[depth] === byte) + 1;
        return e.sequence(e.byte(byte), rest(from, to, depth + 1));
      });
      return e.union(...parts);
    };
    const isPast = paths[first]?.bytes.length === depth;
    const beginnings = isPast ? undefined : { paths, first, end, depth, rest };
    return e.rule(`l${first}-${end}@${depth}`, expand, beginnings);
  };
  return rest(0, paths.length, 0);
}

const languages: Readonly<Record<string, Make>> = {
  "listed names": listed,
  "listed names or a string, and a text": (e) =>
    e.sequence(e.union(listed(e), e.sequence(name(e), e.literal("c"))), e.literal("a")),
  "a text": (e) => e.literal("abc"),
  "a rule in a rule": (e) =>
    e.rule("a", () =>
      e.sequence(
        e.rule("b", () =>
          e.sequence(
            e.literal("a"),
            e.rule("c", () => e.literal("b")),
          ),
        ),
        e.literal("c"),
      ),
    ),
  "nested rules": (e) => {
    const nested: Expression = e.rule("n", () =>
      e.union(e.literal("c"), e.sequence(e.literal("a"), nested, e.literal("b"))),
    );
    return nested;
  },
  "many rules in one another": (e) => {
    const at = (depth: number): Expression =>
      e.rule(`d${depth}`, () => (depth === 40 ? e.literal("ab") : at(depth + 1)));
    return at(0);
  },
  "a rule for the empty text": (e) =>
    e.sequence(
      e.rule("o", () => e.empty),
      e.literal("ab"),
    ),
  "a rule that may be empty": (e) =>
    e.sequence(
      e.rule("o", () => e.optional(e.literal("a"))),
      e.literal("ab"),
    ),
  "a rule that is not surely filled": (e) =>
    e.rule("i", () => e.intersection(e.repeat(e.byte(0x61, 0x63), 1, 9), e.complement(e.literal("ab")))),
  "any byte, then a text": (e) => e.sequence(e.byte(0x61, 0x63), e.literal("abc")),
  "a string or a name": (e) => e.union(e.sequence(name(e), e.literal(":")), e.literal('ab":')),
  "a string or a rule, with one end": (e) =>
    e.sequence(
      e.union(
        e.sequence(name(e), e.literal(":")),
        e.rule("k", () => e.literal('abc"')),
      ),
      e.literal("c"),
    ),
  "strings with two ends": (e) =>
    e.union(e.sequence(name(e), e.literal("a")), e.sequence(word(e), e.literal("b"))),
  "a string, if any": (e) => e.sequence(e.optional(e.sequence(word(e), e.literal("a"))), e.literal("ab")),
  "a string that leads nowhere": (e) =>
    e.union(
      e.sequence(name(e), e.intersection(e.repeat(e.literal("a"), 1, 9), e.repeat(e.literal("b"), 1, 9))),
      e.sequence(word(e), e.literal("]")),
    ),
  "a budget behind a rule": (e) => e.rule("t", () => e.budget(e.repeat(e.byte(0x61, 0x63), 1, 9), 2)),
};

const bytes = fc.array(fc.constantFrom(...new TextEncoder().encode('abc":]')), { maxLength: 8 });

describe("single steps", () => {
  test.each(Object.entries(languages))("lead where the rows say: %s", (_, make) => {
    fc.assert(
      fc.property(bytes, (path) => {
        const e = new Expressions();
        const automaton = new Automaton(e, make(e));
        let state = automaton.start;
        for (const byte of path) {
          if (state === DEAD) return;
          // First without a row: it is made by `row`.
          const next = automaton.step(state, byte);
          const seen = automaton.seenByte(state);
          const after = automaton.afterSeen(state);
          const row = automaton.row(state);
          expect(next).toBe(row[byte]);
          const open = Array.from({ length: 256 }, (_, each) => each).filter((each) => row[each] !== DEAD);
          const noneOrSeveral = open.length === 0 ? -2 : -1;
          expect(automaton.onlyByte(state)).toBe(open.length === 1 ? open[0] : noneOrSeveral);
          if (seen >= 0) expect({ seen, after }).toEqual({ seen: open[0], after: row[seen] });
          expect(automaton.step(state, byte)).toBe(next);
          state = next;
        }
      }),
      { numRuns: 60 },
    );
  });

  test.each(Object.entries(languages))("lead where several bytes at once lead: %s", (_, make) => {
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 3 }), (tokens) => {
        const [one, other] = [0, 1].map(() => {
          const e = new Expressions();
          return new Automaton(e, make(e));
        }) as [Automaton, Automaton];
        let state = one.start;
        let expected = other.start;
        for (const token of tokens) {
          state = one.walk(state, Uint8Array.from(token));
          for (const byte of token) if (expected !== DEAD) expected = other.step(expected, byte);
          expect(state === DEAD).toBe(expected === DEAD);
          if (state === DEAD) return;
          expect(one.isAccepting(state)).toBe(other.isAccepting(expected));
          const allowed = (automaton: Automaton, from: number) =>
            automaton.row(from).map((next) => Number(next !== DEAD));
          expect(allowed(one, state)).toEqual(allowed(other, expected));
        }
      }),
      { numRuns: 100 },
    );
  });

  test("a text and the rules on the way to it take no rows", () => {
    const e = new Expressions();
    const automaton = new Automaton(
      e,
      e.rule("a", () =>
        e.sequence(
          e.literal("ab"),
          e.rule("b", () => e.literal("c")),
        ),
      ),
    );
    const states = [automaton.start];
    for (const byte of new TextEncoder().encode("abc"))
      states.push(automaton.step(states.at(-1) as number, byte));
    expect(automaton.isAccepting(states.at(-1) as number)).toBe(true);
    expect(states.map((state) => automaton.rowOf[state])).toEqual([-1, -1, -1, -1]);
  });
});

test("a union counts all of its members, also equal ones", () => {
  const e = new Expressions(1_000);
  const members = Array.from({ length: 2_000 }, (_, index) => e.literal(index % 2 === 0 ? "ab" : "cd"));
  expect(() => e.union(...members)).toThrow(/more than 1,000 operations/);
});
