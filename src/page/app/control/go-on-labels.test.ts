import { expect, test } from "vitest";
import { continueAtEndLabel, continueButtonLabel } from "./go-on-labels.ts";

test.each([
  [null, null, "Continue with the editor’s mods"],
  [null, 100, "Continue for 100 more tokens with the editor’s mods"],
  ["here", null, "Continue from here with the editor’s mods"],
  [11, 100, "Continue from token 12 with the editor’s mods"],
] as const)("from %s, %s more tokens", (index, moreTokens, label) => {
  expect(continueButtonLabel(index, moreTokens)).toBe(label);
});

test.each([
  [null, false, "Continue"],
  [100, false, "Continue for 100 more tokens"],
  [null, true, "Continue with this run’s mods"],
  [1, true, "Continue for 1 more token with this run’s mods"],
] as const)("at the end, %s more tokens, other mods in the editor: %s", (moreTokens, hasOtherMods, label) => {
  expect(continueAtEndLabel(moreTokens, hasOtherMods)).toBe(label);
});
