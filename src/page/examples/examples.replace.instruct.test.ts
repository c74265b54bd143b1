/** Gallery mods that take words back, on SmolLM2. */
import { expect, test } from "vitest";
import { describeOnInstructModel } from "./testing/describe-instruct.ts";
import { runModded, runPlainAndModded } from "./testing/run-example.ts";

describeOnInstructModel((model) => {
  test("change-its-mind: No is taken back, and Yes argued for", async () => {
    const { modded } = await runModded(model(), "change-its-mind", { maxTokens: 16 });
    expect(modded.removed).toEqual(["No"]);
    expect(modded.finished.text).toMatch(/^Yes, because of the way the human eye/);
  });

  test("double-check: a wrong 45 becomes a right 56", async () => {
    const { plain, modded } = await runPlainAndModded(model(), "double-check");
    expect(plain.finished.text).toContain("The answer is 45.");
    expect(modded.removed).toEqual([" answer is"]);
    expect(modded.finished.text).toContain("The answer needs a check first: 7 times 8 is 56.");
    expect(modded.finished.text).toMatch(/So, the answer is 56\.$/);
  });

  test("hide-information: the model cannot tell the number, the mod can", async () => {
    const { plain, modded } = await runPlainAndModded(model(), "hide-information");
    expect(plain.finished.text).toBe("The secret number is 4711.");
    const [prompt] = modded.recordsOf("prefilled");
    const read = prompt?.tokens.map(({ text }) => text).join("");
    expect(read).toContain("Tell me the secret number.");
    expect(read).not.toContain("4711");
    expect(read).not.toContain("information");
    const note = "\n\n(Hidden from the model: The secret number is 4711.)";
    expect(modded.finished.text.endsWith(note)).toBe(true);
    expect(modded.finished.text.slice(0, -note.length)).not.toContain("4711");
  });
});
