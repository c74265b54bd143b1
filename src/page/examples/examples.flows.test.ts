/** Flows ask their questions, and say what comes of the answers. */
import { expect, test } from "vitest";
import { describeOnInstructModel } from "./testing/describe-instruct.ts";
import { runModded, runPlainAndModded } from "./testing/run-example.ts";
import { describeOnBundledModel } from "./testing/shared-model.ts";

describeOnBundledModel((model) => {
  test("adventure: the question comes again until there are two answers", async () => {
    const { modded } = await runModded(model(), "adventure");
    const said = /went to the (?:park|beach|forest)\. There he found a (\w+) and a (\w+)\./.exec(
      modded.finished.text,
    );
    expect(said).not.toBeNull();
    expect(said?.[1]).not.toBe(said?.[2]);
    expect(modded.removed.length).toBeGreaterThanOrEqual(2);
    for (const asked of modded.removed) expect(asked).toMatch(/^ There he found a (ball|bone|bird|box)$/);
  });
});

describeOnInstructModel((model) => {
  test("plan-then-answer: three points, then an answer that follows them", async () => {
    const { plain, modded } = await runPlainAndModded(model(), "plan-then-answer", { maxTokens: 100 }, 24);
    expect(plain.finished.text).not.toContain("plan");
    const [, plan = "", answer] =
      /^My plan:\n((?:- [^\n]*\.\n){3})\nThe answer:\n([\s\S]+)$/.exec(modded.finished.text) ?? [];
    expect(plan).toMatch(/^- Boil water/);
    expect(answer).toMatch(/tea/);
  });

  test("sentiment-flow: a bad review about the food", async () => {
    const { plain, modded } = await runPlainAndModded(model(), "sentiment-flow", {}, 24);
    expect(plain.finished.text).not.toContain("sorry");
    expect(modded.finished).toMatchObject({ reason: "stop", text: "We are sorry about the food." });
    expect(modded.removed).toHaveLength(2);
  });

  test.each([
    ["The best evening of the year, thank you!", "Thank you for your kind words!"],
    ["We waited for one hour and nobody came.", "We are sorry about the service."],
  ])("sentiment-flow: %s", async (content, answer) => {
    const { modded } = await runModded(model(), "sentiment-flow", { messages: [{ role: "user", content }] });
    expect(modded.finished.text).toBe(answer);
  });

  test("extract-to-json: name, age and job, and nothing else", async () => {
    const { plain, modded } = await runPlainAndModded(model(), "extract-to-json", {}, 16);
    expect(plain.finished.text).toMatch(/^Tom is a 34-year-old man/);
    expect(JSON.parse(modded.finished.text)).toEqual({ name: "Tom", age: 34, job: "teacher" });
  });

  test.each([
    ["Maria is 52. She has a big farm with cows and corn.", { name: "Maria", age: 52, job: "farmer" }],
    [
      "Paul is 41 years old. He works in a hospital and helps sick people.",
      { name: "Paul", age: 41, job: "doctor" },
    ],
  ])("extract-to-json: %s", async (content, expected) => {
    const { modded } = await runModded(model(), "extract-to-json", { messages: [{ role: "user", content }] });
    expect(JSON.parse(modded.finished.text)).toEqual(expected);
  });
});
