/** Hidden questions are answered, and nobody sees them. */
import { expect, test } from "vitest";
import { checkTrace } from "../../core/decoder/testing/trace-log.ts";
import { describeOnInstructModel } from "./testing/describe-instruct.ts";
import { runModded, runPlainAndModded } from "./testing/run-example.ts";
import { describeOnBundledModel } from "./testing/shared-model.ts";

describeOnBundledModel((model) => {
  test("hidden-question: asked, answered and gone; the story is the same", async () => {
    const { plain, modded, console } = await runPlainAndModded(model(), "hidden-question");
    expect(console).toEqual(["After 27 tokens the model thinks of a boy."]);
    expect(modded.removed).toEqual([" The story is about a boy"]);
    expect(modded.finished.text).toBe(plain.finished.text);
    expect(checkTrace(modded.records).tokens).toEqual(checkTrace(plain.records).tokens);
  });
});

describeOnInstructModel((model) => {
  test("hidden-classifier: comfort for the sad, and no word of the question", async () => {
    const { plain, modded } = await runPlainAndModded(model(), "hidden-classifier", { maxTokens: 24 });
    expect(plain.finished.text).not.toContain("sorry");
    expect(modded.finished.text).toMatch(/^I am so sorry to hear that\. [A-Z]/);
    expect(modded.removed).toHaveLength(1);
    expect(modded.removed[0]).toMatch(/"My dog died yesterday\." Mood: sad$/);
  });

  test.each([
    ["Today I got a new bike!", "happy"],
    ["We lost the game, I could cry.", "sad"],
    ["My friends made a party for me!", "happy"],
  ])("hidden-classifier: %s (%s)", async (content, mood) => {
    const { modded } = await runModded(model(), "hidden-classifier", {
      messages: [{ role: "user", content }],
      maxTokens: 20,
    });
    expect(modded.removed[0]).toMatch(new RegExp(`Mood: ${mood}$`));
    expect(modded.finished.text.startsWith("I am so sorry")).toBe(mood === "sad");
  });

  test("ask-when-unsure: a question in place of a guess", async () => {
    const { plain, modded } = await runPlainAndModded(model(), "ask-when-unsure", {}, 24);
    expect(plain.finished.text).toMatch(/^The thing that we talked about is a type of/);
    expect(modded.finished).toMatchObject({ reason: "forced", text: "Which one of those things is that?" });
  });

  test.each(["What is 6 times 7?", "What is the capital of France?"])(
    "ask-when-unsure: no question at %s",
    async (content) => {
      const messages = [{ role: "user", content }] as const;
      const { plain, modded } = await runPlainAndModded(model(), "ask-when-unsure", {
        messages,
        maxTokens: 20,
      });
      expect(modded.finished.text).toBe(plain.finished.text);
    },
  );
});
