/** Each gallery mod for reasoning changes its own part: the thoughts, the answer, or both. */
import { expect, test } from "vitest";
import { describeOnInstructModel } from "./testing/describe-instruct.ts";
import { runModded, runPlainAndModded } from "./testing/run-example.ts";

describeOnInstructModel((model) => {
  /** The text between the marks, and the text after them. */
  const parts = (text: string) => /^<think>([\s\S]*?)<\/think>\n([\s\S]*)$/.exec(text)?.slice(1) ?? [];
  const plainThoughts = "The user asks about Italy. Its capital is Rome.";
  const plainAnswer = "Rome is the capital of Italy.";

  test("without a mod the model thinks, then answers", async () => {
    const { plain } = await runPlainAndModded(model(), "inject-reasoning-start");
    expect(parts(plain.finished.text)).toEqual([plainThoughts, plainAnswer]);
  });

  test("inject-reasoning-start: the first thought", async () => {
    const { modded } = await runModded(model(), "inject-reasoning-start");
    const [thoughts, answer] = parts(modded.finished.text);
    expect(thoughts).toMatch(/^The user is a child, so I use simple words\. The capital of Italy is Rome\.$/);
    expect(answer).toContain("Rome");
  });

  test("inject-reasoning-middle: between the first thought and the next", async () => {
    const { modded } = await runModded(model(), "inject-reasoning-middle");
    const [thoughts, answer] = parts(modded.finished.text);
    expect(thoughts).toMatch(/^The user asks about Italy\. It is a country in Europe\. [A-Z]/);
    expect(answer).not.toBe(plainAnswer);
  });

  test("inject-reasoning-end: the last thought, and the marker after it once", async () => {
    const { modded } = await runModded(model(), "inject-reasoning-end");
    const [thoughts, answer] = parts(modded.finished.text);
    expect(thoughts).toBe(`${plainThoughts} I will answer politely.`);
    expect(answer).toMatch(/^[A-Z]/);
    expect(modded.finished.text.split("</think>")).toHaveLength(2);
  });

  test("inject-response-start: the first words of the answer", async () => {
    const { modded } = await runModded(model(), "inject-response-start");
    expect(parts(modded.finished.text)).toEqual([
      plainThoughts,
      "Good question! The capital of Italy is Rome.",
    ]);
  });

  test("inject-response-middle: after the first sentence of the answer", async () => {
    const { modded } = await runModded(model(), "inject-response-middle");
    const [thoughts, answer] = parts(modded.finished.text);
    expect(thoughts).toBe(plainThoughts);
    expect(answer?.startsWith(`${plainAnswer} And there is more to say.`)).toBe(true);
  });

  test("inject-response-end: the last words, in place of the end", async () => {
    const { modded } = await runModded(model(), "inject-response-end");
    expect(parts(modded.finished.text)).toEqual([plainThoughts, `${plainAnswer} I hope this helps!`]);
    expect(modded.finished.reason).toBe("stop");
  });

  test("replace-in-reasoning: the name in the thoughts is another", async () => {
    const { modded } = await runModded(model(), "replace-in-reasoning");
    const [thoughts] = parts(modded.finished.text);
    expect(thoughts).toBe("The user asks about Italy. Its capital is the Eternal City.");
    expect(modded.removed).toEqual([" Rome"]);
  });

  test("replace-in-response: the thoughts keep the name, the answer has another", async () => {
    const { modded } = await runModded(model(), "replace-in-response");
    const [thoughts, answer] = parts(modded.finished.text);
    expect(thoughts).toBe(plainThoughts);
    expect(answer).toMatch(/^the Eternal City/);
    expect(answer).not.toContain("Rome");
  });

  test("replace-everywhere: both say it otherwise", async () => {
    const { modded } = await runModded(model(), "replace-everywhere");
    expect(parts(modded.finished.text)).toEqual([
      "The user asks about Italy. Its biggest city is Rome.",
      "Rome is the biggest city in Italy.",
    ]);
    expect(modded.removed).toHaveLength(2);
  });
});
