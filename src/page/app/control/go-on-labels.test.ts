import { expect, test } from "vitest";
import { continueAtEndLabel, continueButtonLabel } from "./go-on-labels.ts";

test.each([
  [null, false, null, "Continue with the changed mods"],
  [null, true, null, "Continue with the editor’s mods"],
  [null, false, 100, "Continue for 100 more tokens with the changed mods"],
  ["here", false, null, "Continue from here with the changed mods"],
  [11, false, 100, "Continue from token 12 with the changed mods"],
] as const)("from %s, recorded elsewhere: %s, %s more tokens", (index, isRecorded, moreTokens, label) => {
  expect(continueButtonLabel(index, isRecorded, moreTokens)).toBe(label);
});

test.each([
  [null, false, "Continue"],
  [100, false, "Continue for 100 more tokens"],
  [null, true, "Continue with the same mods"],
  [1, true, "Continue for 1 more token with the same mods"],
] as const)("at the end, %s more tokens, other mods in the editor: %s", (moreTokens, hasOtherMods, label) => {
  expect(continueAtEndLabel(moreTokens, hasOtherMods)).toBe(label);
});
