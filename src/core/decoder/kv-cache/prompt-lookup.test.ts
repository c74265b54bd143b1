/** The draft tokens and their number: by the text so far and by what a pass costs. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { longestDraft, PromptLookup } from "./prompt-lookup.ts";

/** A token more costs a hundredth: as long as it goes. */
const cheap = (tokens: number) => 1 + (tokens - 1) / 100;
/** As WebAssembly computes. */
const halves = (tokens: number) => (tokens === 1 ? 1 : 0.25 + tokens / 2);
/** Nothing to gain. */
const dear = (tokens: number) => tokens;

const range = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i);
const copied = [...range(0, 40), ...range(0, 12)];

test.each([
  ["what followed the last tokens before", cheap, copied, 40, 9, range(12, 9)],
  ["no longer than may be", cheap, copied, 40, 99, range(12, longestDraft)],
  ["shorter where a token more costs half a pass", halves, copied, 40, 99, range(12, 3)],
  ["nothing where a pass costs its tokens", dear, copied, 40, 99, []],
  ["nothing where no more may come", cheap, copied, 40, 0, []],
  ["nothing after what is new", cheap, range(0, 20), 4, 99, []],
  ["a circle goes on", cheap, [5, 1, 2, 3, 1, 2, 3, 1, 2, 3], 4, 7, [1, 2, 3, 1, 2, 3, 1]],
] as const)("%s", (_, cost, sequence, promptLength, room, expected) => {
  expect(new PromptLookup(cost, promptLength).propose(sequence, room)).toEqual(expected);
});

/** After "1" comes "2" in the prompt, and never in the output: after each "1" something else does. */
const wrong = [1, 2, 9, ...range(100, 30).flatMap((token) => [1, token])];

test("guesses that were wrong in this output are no longer made", () => {
  const drafts = new PromptLookup(cheap, 3);
  expect(drafts.propose(wrong.slice(0, 4), 9)).not.toEqual([]);
  expect(drafts.propose([...wrong, 1], 9)).toEqual([]);
});

test("what is taken back was not guessed: the same text has the same draft, whatever was asked before", () => {
  const token = fc.integer({ min: 0, max: 4 });
  const output = fc.array(token, { maxLength: 30 });
  fc.assert(
    fc.property(output, fc.array(output, { minLength: 1, maxLength: 5 }), (prompt, outputs) => {
      const drafts = new PromptLookup(halves, prompt.length);
      for (const each of outputs) {
        const sequence = [...prompt, ...each];
        expect(drafts.propose(sequence, 9)).toEqual(
          new PromptLookup(halves, prompt.length).propose(sequence, 9),
        );
      }
    }),
    { numRuns: 300 },
  );
});

test("where all that is drafted comes to nothing, drafts end, and are tried again much later", () => {
  const drafts = new PromptLookup(halves, 40);
  let made = 0;
  let cost = 0;
  for (let step = 0; step < 400; step++) {
    const { length } = drafts.propose(copied, 9);
    drafts.note(length, false);
    made += length > 0 ? 1 : 0;
    cost += halves(length + 1);
  }
  expect(made).toBeGreaterThan(10);
  // Passes of 400 steps: a few in a hundred are lost.
  expect(cost).toBeLessThan(415);
});

test("where it comes to use they go on", () => {
  const drafts = new PromptLookup(halves, 40);
  for (let step = 0; step < 100; step++) {
    drafts.note(3, false);
    for (let used = 0; used < 2; used++) drafts.note(0, true);
  }
  expect(drafts.propose(copied, 9)).toEqual(range(12, 3));
});
