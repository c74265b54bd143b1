import { expect, test } from "vitest";
import { longPromptSentence } from "./prompt-size.ts";

const story = { id: "midtoken/stories260k", capacity: 512 };

test.each([
  [49_999, null, null],
  [
    50_000,
    null,
    "50,000 of at most 500,000 characters. A model refuses a prompt that is longer than its context.",
  ],
  [1_023, story, null],
  [
    1_024,
    story,
    "1,024 of at most 500,000 characters. stories260k reads at most 512 tokens and refuses a longer prompt.",
  ],
  [49_999, { ...story, capacity: 131_072 }, null],
] as const)("%d characters for %j", (characters, model, words) => {
  expect(longPromptSentence(characters, model)).toBe(words);
});
