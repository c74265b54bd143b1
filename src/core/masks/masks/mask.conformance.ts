import fc from "fast-check";
import { expect, test } from "vitest";
import { Automaton, DEAD } from "../automaton/automaton.ts";
import { byteSet } from "../automaton/byte-set.ts";
import { type Expression, Expressions } from "../automaton/expression.ts";
import { ConstraintLimitError } from "../strategy-error.ts";
import type { VocabularyTests } from "../testing/describe-repository-vocabularies.ts";
import { hasToken } from "../vocabulary/token-bits.ts";
import { type Vocabulary, vocabularyOf } from "../vocabulary/vocabulary.ts";
import { makeMask } from "./mask.ts";
import { PlainRuns } from "./plain-run.ts";

/** The parts of a language; `Arena` makes it. */
export type Recipe = (expressions: Expressions) => Expression;

export const wide: Recipe = (e) =>
  e.union(
    e.sequence(e.byte(0xc2, 0xdf), e.byte(0x80, 0xbf)),
    e.sequence(e.byte(0xe0), e.byte(0xa0, 0xbf), e.byte(0x80, 0xbf)),
    e.sequence(e.bytes(byteSet([0xe1, 0xec], [0xee, 0xef])), e.byte(0x80, 0xbf), e.byte(0x80, 0xbf)),
    e.sequence(e.byte(0xed), e.byte(0x80, 0x9f), e.byte(0x80, 0xbf)),
    e.sequence(e.byte(0xf0), e.byte(0x90, 0xbf), e.byte(0x80, 0xbf), e.byte(0x80, 0xbf)),
    e.sequence(e.byte(0xf1, 0xf3), e.byte(0x80, 0xbf), e.byte(0x80, 0xbf), e.byte(0x80, 0xbf)),
    e.sequence(e.byte(0xf4), e.byte(0x80, 0x8f), e.byte(0x80, 0xbf), e.byte(0x80, 0xbf)),
  );
export const plainAscii: Recipe = (e) => e.bytes(byteSet([0x20, 0x21], [0x23, 0x5b], [0x5d, 0x7f]));

/** Characters of which a run may consist; some lack a part of what UTF-8 can write, so that no run may be seen in them. */
const characters: readonly Recipe[] = [
  (e) => e.union(plainAscii(e), wide(e)),
  (e) =>
    e.union(plainAscii(e), wide(e), e.sequence(e.byte(0x5c), e.bytes(byteSet([0x6e, 0x6e], [0x22, 0x22])))),
  (e) => plainAscii(e),
  (e) => e.union(plainAscii(e), e.sequence(e.byte(0xc2, 0xdf), e.byte(0x80, 0xbf))),
  (e) => e.bytes(byteSet([0x61, 0x7a], [0x20, 0x20], [0x2c, 0x2c], [0x2e, 0x2e])),
  (e) => e.bytes(byteSet([0x00, 0xff])),
  (e) => e.bytes(byteSet([0x30, 0x39], [0x61, 0x66])),
  (e) => e.union(e.byte(0x61, 0x7a), e.literal("ab"), e.literal("the ")),
];

/** A recipe that can be read when it is a counterexample. */
function named(text: string, make: Recipe): Recipe {
  return Object.defineProperty((e: Expressions) => make(e), "toString", { value: () => text });
}

const words = ["a", "the", " ", '"', "in", "é", '",', "tion", ".", " of", "ing\n"];
const word = fc.constantFrom(...words).map((text) => named(JSON.stringify(text), (e) => e.literal(text)));
const count = fc.constantFrom(0, 1, 2, 7, 8, 9, 16, 33, 100);
const run = fc
  .record({
    body: fc.nat({ max: characters.length - 1 }),
    min: count,
    more: fc.oneof(count, fc.constant(Number.POSITIVE_INFINITY)),
  })
  .map(({ body, min, more }) =>
    named(`characters${body}{${min},${min + more}}`, (e) =>
      e.repeat((characters[body] as Recipe)(e), min, min + more),
    ),
  );

const recipe = fc.letrec<{ any: Recipe }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    run,
    word,
    fc.tuple(tie("any"), tie("any")).map(([a, b]) => named(`(${a} ${b})`, (e) => e.sequence(a(e), b(e)))),
    fc.tuple(tie("any"), tie("any")).map(([a, b]) => named(`(${a} | ${b})`, (e) => e.union(a(e), b(e)))),
    fc
      .tuple(run, fc.array(word, { maxLength: 4 }))
      .map(([a, taken]) =>
        named(`(${a} - [${taken}])`, (e) => e.difference(a(e), e.union(...taken.map((each) => each(e))))),
      ),
    fc
      .tuple(run, word)
      .map(([a, taken]) =>
        named(`(${a} without ${taken})`, (e) =>
          e.difference(a(e), e.sequence(e.anything, taken(e), e.anything)),
        ),
      ),
    fc.tuple(run, tie("any")).map(([a, b]) => named(`(${a} & ${b})`, (e) => e.intersection(a(e), b(e)))),
    fc
      .tuple(run, fc.integer({ min: 1, max: 5 }))
      .map(([a, tokens]) => named(`budget(${a}, ${tokens})`, (e) => e.budget(a(e), tokens))),
  ),
})).any;

/** Token by token, without tree or slices. */
function maskByTokens(automaton: Automaton, state: number, vocabulary: Vocabulary): Uint32Array {
  const mask = new Uint32Array(vocabulary.words);
  for (let token = 0; token < vocabulary.size; token++) {
    const text = vocabulary.bytesOf(token);
    if (text.length > 0 && automaton.walk(state, text) !== DEAD)
      (mask[token >> 5] as number) |= 1 << (token & 31);
  }
  return mask;
}

function tokensIn(mask: Uint32Array): number[] {
  return Array.from({ length: mask.length * 32 }, (_, token) => token).filter((token) =>
    hasToken(mask, token),
  );
}

/** Defines the tests that masks are those of a look at each token. */
export const testMasks: VocabularyTests = (name, tokenizerOf) => {
  const fewer = name === "smollm2-135m" ? 60 : 25;
  const runs = name === "stories260k" ? 300 : fewer;

  test("are those of a look at each token, with slices and without", () => {
    const vocabulary = vocabularyOf(tokenizerOf());
    let sliced = 0;
    let limited = 0;
    const check = (make: Recipe, choices: readonly number[]) => {
      const expressions = new Expressions();
      const automaton = new Automaton(expressions, make(expressions));
      const plainRuns = new PlainRuns(automaton);
      let state = automaton.start;
      for (const choice of choices) {
        automaton.begin();
        const found = plainRuns.of(state);
        // As if it had been walked long enough: the slice is made now.
        vocabulary.slices.spend(found, Number.POSITIVE_INFINITY);
        if (vocabulary.slices.find(found)) sliced++;
        const mask = makeMask({ automaton, vocabulary, runs: plainRuns }, state);
        const expected = maskByTokens(automaton, state, vocabulary);
        if (mask.some((bits, index) => bits !== expected[index])) {
          expect(tokensIn(mask)).toEqual(tokensIn(expected));
        }
        const allowed = tokensIn(mask);
        if (allowed.length === 0) return;
        const token = allowed[choice % allowed.length] as number;
        state = automaton.tick(automaton.walk(state, vocabulary.bytesOf(token)));
      }
    };
    fc.assert(
      fc.property(recipe, fc.array(fc.nat(), { minLength: 1, maxLength: 3 }), (make, choices) => {
        try {
          check(make, choices);
        } catch (error) {
          if (!(error instanceof ConstraintLimitError)) throw error;
          limited++;
        }
      }),
      { numRuns: runs },
    );
    expect(sliced).toBeGreaterThan(runs / 3);
    expect(limited).toBeLessThanOrEqual(1 + runs / 50);
  });
};
