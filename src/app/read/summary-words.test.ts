import { expect, test } from "vitest";
import { listed, ownWords } from "./summary-words.ts";

test.each([
  [100, 86, [], "The model chose 86 of 100 tokens."],
  [100, 100, [], "The model chose all 100 tokens."],
  [1, 1, [], "The model chose the only token."],
  [1, 0, [], "The model chose none of 1 token."],
  [1200, 1000, [], "The model chose 1,000 of 1,200 tokens."],
  [0, 0, [], "Nothing is left of the text."],
  [60, 60, ["hide"], "hide rewrote the prompt; the model chose all 60 tokens."],
  [60, 2, ["hide", "seek"], "hide and seek rewrote the prompt; the model chose 2 of 60 tokens."],
])("of %i tokens %i were the model's, the prompt rewritten by %j: %s", (output, own, rewriters, sentence) => {
  const { before, stressed, after } = ownWords({ output, own }, rewriters);
  expect(before + stressed + after).toBe(sentence);
});

test.each([
  [[], ""],
  [["a"], "a"],
  [["a", "b"], "a and b"],
  [["a", "b", "c"], "a, b and c"],
])("%j are %s", (names, text) => {
  expect(listed(names)).toBe(text);
});
