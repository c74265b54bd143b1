/** Notes of the transcript. */
import { expect, test } from "vitest";
import { describeQuotedToken } from "./transcript.tsx";

test.each([
  [" Lily", "“Lily”"],
  [" ", "a space"],
  ["\n\n", "a line break"],
  ["", "a token without text"],
  ["<s>", "the end of the text (the token <s>)"],
  ["<|im_end|>", "the end of the text (the token <|im_end|>)"],
  ["<|im_start|>", "the control token <|im_start|>"],
  ["<b>", "“<b>”"],
])("the token %j is shown as %s", (text, shown) => {
  expect(describeQuotedToken(text)).toBe(shown);
});
