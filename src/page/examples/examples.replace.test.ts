/** Each gallery mod that takes words back takes those, and puts others in their place. */
import { expect, test } from "vitest";
import { inProcessMod } from "./testing/in-process-mod.ts";
import { exampleNamed, runModded, runPlainAndModded } from "./testing/run-example.ts";
import { describeOnBundledModel } from "./testing/shared-model.ts";

const story = [{ role: "user", content: "Once upon a time" }] as const;

/** Leaves the model no choice but "L" and then "ily". */
const spellsLily = `import { mod } from "midtoken/mod";
let written = 0;
export default mod({
  forwardPass(event, actions, tokenizer) {
    if (written < 2) return actions.adjustLogits({ only: [tokenizer.encode("Lily")[written++]!] });
  },
});`;

describeOnBundledModel((model) => {
  test("replace-in-prompt: the girl of the prompt is a dog", async () => {
    const { plain, modded } = await runPlainAndModded(model(), "replace-in-prompt");
    const [prompt] = modded.recordsOf("prefilled");
    expect(prompt?.tokens.map(({ text }) => text).join("")).toContain(
      "Once upon a time, there was a brave dog",
    );
    expect(prompt?.tokens[0]?.token).toBe(1);
    expect(plain.finished.text).toContain("Lily");
    expect(modded.finished.text).toMatch(/^ named Max\. Max loved to play/);
  });

  test("replace-phrase: the ball is taken back, a frog is there instead", async () => {
    const { plain, modded } = await runPlainAndModded(model(), "replace-phrase");
    expect(plain.finished.text).toContain(" big, red ball");
    expect(modded.removed).toEqual([" big, red ball"]);
    expect(modded.finished.text).toContain("she saw a tiny, green frog. She wanted");
    expect(modded.recordsOf("added").filter(({ source }) => source === "reinjected")).toHaveLength(1);
  });

  test("swap-name: as often as Lily is written she is taken back, and it is Max", async () => {
    const { plain, modded } = await runPlainAndModded(model(), "swap-name");
    expect(plain.finished.text).toContain("Lily");
    expect(modded.finished.text).not.toContain("Lily");
    expect(modded.removed.length).toBeGreaterThan(1);
    expect(modded.removed.join("")).toMatch(/^( ?Lily)+$/);
    expect(modded.finished.text.split("Max").length - 1).toBeGreaterThanOrEqual(modded.removed.length);
  });

  test("rename-hero: Lily is never written, Max is", async () => {
    const { modded } = await runModded(model(), "rename-hero");
    expect(modded.finished.text).toContain("girl named Max. Max loved to play");
    expect(modded.finished.text).not.toContain("Lily");
  });

  test("rename-hero: where the name is two tokens, the first is taken back", async () => {
    const { source, temperature, seed } = exampleNamed("rename-hero");
    const settings = { messages: story, maxTokens: 8, temperature, seed };
    const spelling = inProcessMod(spellsLily, model().tokenizer);
    expect((await model().run(settings, [spelling])).finished.text).toMatch(/^Lily/);
    const modded = await model().run(settings, [
      inProcessMod(spellsLily, model().tokenizer),
      inProcessMod(source, model().tokenizer),
    ]);
    expect(modded.finished.text).toMatch(/^Max/);
    expect(modded.removed).toEqual(["L"]);
  });

  test("stop-at-answer: the name is the output", async () => {
    const { modded } = await runModded(model(), "stop-at-answer");
    expect(modded.finished).toMatchObject({ reason: "forced", text: "Lily" });
  });
});
