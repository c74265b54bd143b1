import fc from "fast-check";
import { expect, test } from "vitest";
import { Automaton } from "../automaton/automaton.ts";
import { Expressions } from "../automaton/expression.ts";
import { codePoints } from "./code-points.ts";
import { utf8Alphabet } from "./utf8.ts";

const encoder = new TextEncoder();

/** Ends of lengths, of the surrogates and of whole blocks of each level, and any others. */
const point = fc.oneof(
  fc.constantFrom(
    0,
    0x3f,
    0x40,
    0x7f,
    0x80,
    0x7ff,
    0x800,
    0xfff,
    0x1000,
    0xd7ff,
    0xe000,
    0xffff,
    0x10000,
    0x3ffff,
  ),
  fc.constantFrom(0x40000, 0xfffff, 0x100000, 0x10ffff),
  fc.integer({ min: 0, max: 0x10ffff }),
  fc.integer({ min: 0, max: 0x900 }),
);
const range = fc.tuple(point, point).map(([a, b]): [number, number] => (a < b ? [a, b] : [b, a]));
const single = point.map((a): [number, number] => [a, a]);

test("a set is written as the UTF-8 of its code points, and of no others", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(range, single), { minLength: 1, maxLength: 5 }),
      fc.array(point),
      (ranges, more) => {
        const expressions = new Expressions();
        const automaton = new Automaton(expressions, utf8Alphabet(expressions, codePoints(...ranges)));
        const asked = [...ranges.flatMap(([a, b]) => [a - 1, a, a + 1, b - 1, b, b + 1]), ...more];
        for (const each of asked) {
          if (each < 0 || each > 0x10ffff || (each >= 0xd800 && each <= 0xdfff)) continue;
          const isIn = ranges.some(([first, last]) => first <= each && each <= last);
          const end = automaton.walk(automaton.start, encoder.encode(String.fromCodePoint(each)));
          expect({ each, isIn: automaton.isAccepting(end) }).toEqual({ each, isIn });
        }
      },
    ),
    { numRuns: 300 },
  );
});
