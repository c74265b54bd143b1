import { expect, test } from "vitest";
import { hasAnswer, type Turn } from "./conversation-store.ts";

const turn = (role: Turn["role"], text: string): Turn => ({ id: text, role, text });
const asked = [{ role: "user", content: "Is it so?" }] as const;

test.each<[string, readonly Turn[], boolean]>([
  ["as it was asked", [turn("user", "Is it so?")], false],
  ["kept", [turn("user", "Is it so?"), turn("assistant", "Yes."), turn("user", "")], true],
  [
    "kept, with an empty system text",
    [turn("system", ""), turn("user", "Is it so?"), turn("assistant", "Yes.")],
    true,
  ],
  ["another answer is there", [turn("user", "Is it so?"), turn("assistant", "No.")], false],
  ["another question", [turn("user", "Was it so?"), turn("assistant", "Yes.")], false],
  [
    "the same answer to an earlier question",
    [turn("user", "Well?"), turn("assistant", "Yes."), turn("user", "Is it so?")],
    false,
  ],
])("the answer is kept once: %s", (_what, turns, isKept) => {
  expect(hasAnswer(turns, asked, "Yes.")).toBe(isKept);
});
