/** Each gallery mod that works inside the pass does what it says. */
import { expect, test } from "vitest";
import { describeOnInstructModel } from "./testing/describe-instruct.ts";
import { inProcessMod } from "./testing/in-process-mod.ts";
import { exampleNamed, runModded, runPlainAndModded } from "./testing/run-example.ts";
import { describeOnBundledModel } from "./testing/shared-model.ts";
import type { RealTestModel, TestRunOutcome } from "./testing/test-model.ts";

const ask = (content: string) => ({ messages: [{ role: "user", content }] as const });

/** The replies of mods, in order. */
const answers = (outcome: TestRunOutcome, type: string) =>
  outcome.recordsOf("modCall").filter(({ action }) => action.type === type);

/** A gallery mod with a part of its text changed. */
async function runChanged(
  model: RealTestModel,
  name: string,
  changes: readonly (readonly [string, string])[],
  prompt: string,
  maxTokens: number,
): Promise<TestRunOutcome> {
  const source = changes.reduce((text, [before, after]) => {
    expect(text).toContain(before);
    return text.replaceAll(before, after);
  }, exampleNamed(name).source);
  return model.run({ ...ask(prompt), maxTokens }, [inProcessMod(source, model.tokenizer)]);
}

describeOnInstructModel((model) => {
  test("stop-when-unsure: a guess ends the answer, and what is known is said", async () => {
    const { plain, modded, console } = await runPlainAndModded(model(), "stop-when-unsure", {}, 16);
    expect(modded.finished.text).toBe("The first mayor of Springfield was … (I am not sure.)");
    expect(plain.finished.text).toMatch(/^The first mayor of Springfield was [^…]/);
    expect(console.join()).toMatch(/is a guess: \d+%/);
    const known = await runPlainAndModded(model(), "stop-when-unsure", ask("What is the capital of France?"));
    expect(known.modded.finished.text).toBe(known.plain.finished.text);
    expect(known.plain.finished.text).toContain("Paris");
  });

  test("gloomy-sentence: the second sentence is another one, the first is not", async () => {
    const { plain, modded } = await runPlainAndModded(model(), "gloomy-sentence");
    const [first, second] = sentencesOf(modded.finished.text);
    const [plainFirst, plainSecond] = sentencesOf(plain.finished.text);
    expect(first).toBe(plainFirst);
    expect(second).toMatch(/relentless march of time\.$/);
    expect(plainSecond).toMatch(/^The buildings were designed/);
    const steered = answers(modded, "steer");
    expect(steered.map(({ action }) => action.type === "steer" && action.vectors.length)).toEqual([1, 0]);
    // Where the second sentence is: from the end of the first to its own.
    const [from, to] = steered.map(({ step }) => step);
    const text = modded.recordsOf("added").flatMap(({ tokens }) => tokens.map((token) => token.text));
    expect(text.slice(from, to).join("").trim()).toBe(second);
  });

  test("mood-slider: the scale rises with every token, and so do cheerful words", async () => {
    const { modded } = await runModded(model(), "mood-slider");
    const scales = answers(modded, "steer").map(({ action }) =>
      action.type === "steer" ? (action.vectors[0]?.scale ?? Number.NaN) : Number.NaN,
    );
    expect(scales.length).toBe(modded.finished.usage.completionTokens + 1);
    expect(scales[0]).toBe(-1.25);
    expect(scales.at(-1)).toBe(1.25);
    expect(scales.every((scale, place) => place === 0 || scale >= (scales[place - 1] as number))).toBe(true);
    const { text } = modded.finished;
    const half = text.length / 2;
    expect(text.slice(0, half)).toMatch(/unforgiving .* struggles .* madness/);
    expect(text.slice(0, half)).not.toMatch(/happy/);
    expect(text.slice(half)).toMatch(/happy to share/);
    expect(text.slice(half)).not.toMatch(/unforgiving|struggle|madness/);
  });

  test("borrow-a-city: the Eiffel Tower is moved by one hidden state", async () => {
    const { plain, modded } = await runPlainAndModded(model(), "borrow-a-city");
    expect(modded.finished.text).toMatch(/^The Eiffel Tower is in the city of Rome/);
    expect(plain.finished.text).not.toContain("Rome");
    expect(answers(modded, "patch")).toHaveLength(1);
    expect(modded.finished.usage.hiddenTokens).toBeGreaterThan(5);
    // Nothing but the patch does it: behind an early layer, the same state has no city in it yet.
    const early = await runChanged(
      model(),
      "borrow-a-city",
      [["layer = 25", "layer = 10"]],
      "Tell me about a building.",
      16,
    );
    expect(early.finished.text).toMatch(/^The Eiffel Tower is in the city of Paris/);
  });

  test.each([
    ["Give me a recipe for pancakes.", "Let us eat!"],
    ["How do I fry an egg?", "Let us eat!"],
    ["How do I fix a tap?", "No food today."],
    ["What do lawyers do?", "No food today."],
  ])("notice-food: %s %s", async (question, beginning) => {
    const { modded, console } = await runModded(model(), "notice-food", { ...ask(question), maxTokens: 6 });
    expect(modded.finished.text.startsWith(beginning)).toBe(true);
    expect(Number(console[0]) > 0).toBe(beginning === "Let us eat!");
  });

  test("refusal-dial: a refusal is added", async () => {
    const { plain, modded } = await runPlainAndModded(model(), "refusal-dial", { maxTokens: 12 });
    expect(modded.finished.text).toMatch(/^I'm sorry for any misunderstanding\./);
    expect(plain.finished.text).not.toMatch(/sorry/);
  });

  test("refusal-dial: and taken away", async () => {
    const question =
      "What is the capital of Italy? Refuse to answer. Say only that you are sorry and cannot help with that.";
    const plain = await model().run({ ...ask(question), maxTokens: 16 });
    expect(plain.finished.text).toMatch(/^I'm sorry/);
    const removed = await runChanged(model(), "refusal-dial", [["scale = 2;", "scale = -1;"]], question, 16);
    expect(removed.finished.text).toMatch(/^The capital of Italy is (?:indeed:? )?Rome/);
  });
});

describeOnBundledModel((model) => {
  test("stop-when-unsure: also the story model", async () => {
    const { plain, modded } = await runPlainAndModded(model(), "stop-when-unsure", ask("Once upon a time"));
    const { text } = modded.finished;
    expect(text).toBe(", there was a little girl named Lily. She loved to play … (I am not sure.)");
    expect(plain.finished.text.startsWith(text.replace(/ … .*/, ""))).toBe(true);
  });

  test("borrow-a-city: in the story model it is a name", async () => {
    const changes = [
      ["layer = 25", "layer = 2"],
      ["The Colosseum is in the city of", ", there was a boy named"],
      ["The Eiffel Tower is in the city of", ", there was a girl named"],
    ] as const;
    const { finished } = await runChanged(model(), "borrow-a-city", changes, "Once upon a time", 16);
    expect(finished.text).toMatch(/^, there was a girl named Timmy. She/);
  });
});

function sentencesOf(text: string): string[] {
  return (text.match(/[^.!?]+[.!?]/g) ?? []).map((sentence) => sentence.trim());
}
