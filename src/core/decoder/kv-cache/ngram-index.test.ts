/** Matches are those that a search of the whole text finds, and what was taken back leaves no trace. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { longestMatch, NgramIndex } from "./ngram-index.ts";

/** How many tokens before `place` are the last ones of the text. */
function matchAt(tokens: readonly number[], place: number): number {
  let length = 0;
  while (length < longestMatch && place > length && tokens[place - 1 - length] === tokens.at(-1 - length))
    length++;
  return length;
}

/** Every place of the text, longest match first, of equals the newest. */
function searched(tokens: readonly number[]) {
  const places = Array.from({ length: Math.max(0, tokens.length - 1) }, (_, i) => i + 1);
  const matches = places.map((next) => ({ next, length: matchAt(tokens, next) }));
  return matches.filter(({ length }) => length > 0).sort((a, b) => b.length - a.length || b.next - a.next);
}

const text = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 24 });

test.each([
  [[], null],
  [[1], null],
  [[1, 2], null],
  [[1, 1], { next: 1, length: 1 }],
  [[1, 2, 3, 1, 2], { next: 2, length: 2 }],
  [[1, 2, 3, 9, 1, 2, 4, 1, 2], { next: 6, length: 2 }],
  // The longer one, though it is older.
  [[7, 1, 2, 3, 8, 1, 2, 3, 7, 1, 2, 3], { next: 4, length: 4 }],
  [[1, 1, 1, 1], { next: 3, length: 3 }],
])("%j", (tokens, expected) => {
  const index = new NgramIndex();
  index.follow(tokens);
  expect(index.match()).toEqual(expected);
});

test("a match is the longest of the last eight places of its n-gram", () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (texts) => {
      const index = new NgramIndex();
      for (const tokens of texts) {
        index.follow(tokens);
        const all = searched(tokens);
        const n = Math.min(3, all[0]?.length ?? 0);
        const newest = all.filter(({ length }) => length >= n).sort((a, b) => b.next - a.next);
        const looked = newest.slice(0, 8).sort((a, b) => b.length - a.length || b.next - a.next);
        expect(index.match()).toEqual(looked[0] ?? null);
        expect(index.tokens).toEqual(tokens);
      }
    }),
    { numRuns: 500 },
  );
});

test("what two texts share is kept, and each token that goes or comes is told", () => {
  const index = new NgramIndex();
  index.follow([1, 2, 3, 4]);
  const told: string[] = [];
  index.follow(
    [1, 2, 5],
    (token) => told.push(`${token} comes`),
    (at) => told.push(`number ${at} goes`),
  );
  expect(told).toEqual(["number 3 goes", "number 2 goes", "5 comes"]);
});
