/** Each gallery mod that puts words in puts them where it says. */
import { expect, test } from "vitest";
import { describeOnInstructModel } from "./testing/describe-instruct.ts";
import { runModded, runPlainAndModded } from "./testing/run-example.ts";
import { describeOnBundledModel } from "./testing/shared-model.ts";

describeOnBundledModel((model) => {
  test("start-with: the first sentence, in one pass", async () => {
    const { modded } = await runModded(model(), "start-with");
    const sentence = ", there was a dragon who could not fly.";
    expect(modded.finished.text.startsWith(`${sentence} He was very happy`)).toBe(true);
    const [forced] = modded.recordsOf("added");
    expect(forced).toMatchObject({ source: "forced", mod: 0, index: 0 });
    expect(forced?.tokens.map(({ text }) => text).join("")).toBe(sentence);
    const passes = modded.recordsOf("forwardPass").map(({ tokenCount }) => tokenCount);
    expect(passes).toContain(forced?.tokens.length);
  });

  test("inject-after-tokens: a dragon after eleven tokens", async () => {
    const { plain, modded } = await runPlainAndModded(model(), "inject-after-tokens");
    const [forced, ...others] = modded.recordsOf("added").filter(({ source }) => source === "forced");
    expect(others).toEqual([]);
    expect(forced?.index).toBe(11);
    const start = ", there was a little girl named Lily.";
    expect(plain.finished.text.startsWith(`${start} She`)).toBe(true);
    expect(modded.finished.text.startsWith(`${start} Suddenly, a dragon landed.`)).toBe(true);
  });

  test("plot-twist: rain after the second sentence, once", async () => {
    const { modded } = await runModded(model(), "plot-twist");
    expect(modded.finished.text).toMatch(/^[^.]*\.[^.]*\. But then it began to rain\. One day/);
    expect(modded.recordsOf("added").filter(({ source }) => source === "forced")).toHaveLength(1);
  });

  test("happy-ending: the end is taken back and another one written", async () => {
    const { plain, modded } = await runPlainAndModded(model(), "happy-ending");
    expect(plain.finished.reason).toBe("stop");
    expect(modded.finished.reason).toBe("stop");
    expect(modded.finished.text).toBe(`${plain.finished.text} And they all lived happily ever after.`);
    expect(modded.recordsOf("backtracked")).toHaveLength(1);
  });
});

describeOnInstructModel((model) => {
  test("wait-a-minute: the end is taken back once, and the answer goes on", async () => {
    const { plain, modded } = await runPlainAndModded(model(), "wait-a-minute", { maxTokens: 24 });
    expect(plain.finished).toMatchObject({ reason: "stop", text: "No." });
    expect(modded.finished.text).toMatch(/^No\.\n\nWait, let me think again\. The answer is yes/);
    expect(modded.recordsOf("backtracked")).toHaveLength(1);
  });

  test("think-first: step by step, the sum is right", async () => {
    const { plain, modded } = await runPlainAndModded(model(), "think-first");
    expect(plain.finished.text).toBe("12 + 5 = 6.");
    expect(modded.finished.text).toMatch(/^Let me solve this step by step\.\n\n1\. [\s\S]*12 \+ 5 = 17\.$/);
  });

  test("fake-tool-result: the model completes a tool answer, and believes it", async () => {
    const { plain, modded } = await runPlainAndModded(model(), "fake-tool-result", {}, 24);
    expect(plain.finished.text).not.toContain("favorite_movie");
    const [result, , advice] = modded.finished.text.split("\n");
    expect(JSON.parse(result ?? "")).toEqual({ tool: "user_profile", favorite_movie: "The Matrix" });
    expect(advice).toMatch(/^Based on your favorite movie, you will also like the movie/);
  });

  test("steer-to-books: after two sentences it is a book", async () => {
    const { plain, modded } = await runPlainAndModded(model(), "steer-to-books", {}, 48);
    expect(plain.finished.text).not.toContain("book");
    expect(modded.finished.text).toMatch(/^[^.]*\.[^.]*\. Actually, a good book is better: "[A-Z]/);
  });
});
