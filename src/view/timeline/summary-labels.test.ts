import { expect, test } from "vitest";
import { joinNames } from "../../core/base/number-text.ts";
import { describeOwnText, describeOwnTextIn } from "./summary-labels.ts";

test.each([
  [100, 86, [], "The model chose 86 of the 100 tokens."],
  [100, 100, [], "The model chose all 100 tokens."],
  [1, 1, [], "The model chose the only token."],
  [1, 0, [], "The model chose none of 1 token."],
  [1200, 1000, [], "The model chose 1,000 of the 1,200 tokens."],
  [0, 0, [], "All of the text was removed."],
  [60, 60, ["hide"], "hide rewrote the prompt; the model chose all 60 tokens."],
  [60, 2, ["hide", "seek"], "hide and seek rewrote the prompt; the model chose 2 of the 60 tokens."],
])("of %i tokens %i were the model's, the prompt rewritten by %j: %s", (output, own, rewriters, sentence) => {
  const { before, stressed, after } = describeOwnText({ output, own, answered: 0 }, rewriters);
  expect(before + stressed + after).toBe(sentence);
});

test("tokens that the model chose in questions are named beside those of the text", () => {
  const { before, stressed, after } = describeOwnText({ output: 9, own: 0, answered: 2 }, []);
  expect(before + stressed + after).toBe("The model chose none of the 9 tokens, and 2 in hidden questions.");
});

test.each([
  [10, 8, { first: 12, end: 22 }, "The model chose 8 of the 10 selected tokens."],
  [10, 10, { first: 0, end: 10 }, "The model chose 10 of the 10 selected tokens."],
  [
    8,
    0,
    { first: 0, end: 10 },
    "The model chose none of the 8 tokens still in the text; 10 tokens are selected.",
  ],
  [0, 0, { first: 3, end: 4 }, "The selected token is no longer in the text."],
  [0, 0, { first: 1200, end: 1300 }, "None of the 100 selected tokens are still in the text."],
])("of %i tokens of a range %i were the model's, %o: %s", (output, own, range, sentence) => {
  const { before, stressed, after } = describeOwnTextIn({ output, own }, range);
  expect(before + stressed + after).toBe(sentence);
});

test.each([
  [[], ""],
  [["a"], "a"],
  [["a", "b"], "a and b"],
  [["a", "b", "c"], "a, b and c"],
])("%j are %s", (names, text) => {
  expect(joinNames(names)).toBe(text);
});
