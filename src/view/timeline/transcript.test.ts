/** Notes of the transcript. */
import { expect, test } from "vitest";
import { quotedToken } from "./transcript.tsx";

test.each([
  [" Lily", "“Lily”"],
  [" ", "a space"],
  ["\n\n", "a line break"],
  ["", "a token without text"],
])("the token %j is shown as %s", (text, shown) => {
  expect(quotedToken(text)).toBe(shown);
});
