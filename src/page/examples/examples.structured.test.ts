/** Structured answers have the structure, and the values are the model's. */
import { expect, test } from "vitest";
import { describeOnInstructModel } from "./testing/describe-instruct.ts";
import { runModded, runPlainAndModded } from "./testing/run-example.ts";
import { describeOnBundledModel } from "./testing/shared-model.ts";

describeOnBundledModel((model) => {
  test("pick-an-animal: one of the four, and the story goes on with it", async () => {
    const { plain, modded } = await runPlainAndModded(model(), "pick-an-animal");
    expect(plain.finished.text).not.toMatch(/bird/);
    expect(modded.finished.text).toMatch(/^, there was a big bird who could talk\. The bird was very happy/);
  });

  test("pack-a-bag: a list of two to four things without a comma at its end", async () => {
    const { modded } = await runModded(model(), "pack-a-bag");
    const thing = "a (?:ball|book|cake|doll|hat)";
    expect(modded.finished.text).toMatch(
      new RegExp(`packed her bag\\. She took ${thing}(, ${thing}){1,3}\\. She was ready to go!\\s[A-Z]`),
    );
  });

  test("invent-a-name: a name with a z, told to the console too", async () => {
    const { modded, console } = await runModded(model(), "invent-a-name");
    const name = /called ([A-Z][a-z]{1,4}z[a-z]{1,3})\. He was/.exec(modded.finished.text)?.[1];
    expect(name).toBeDefined();
    expect(console).toEqual([`The robot's name is ${name}.`]);
  });

  test("chain-story: the first sentence is of the grammar", async () => {
    const { modded } = await runModded(model(), "chain-story");
    const name = " a (?:big|little) (?:dog|cat|bird|girl)";
    const verb = " who (?:saw|liked|played with)";
    expect(modded.finished.text).toMatch(new RegExp(`^, there was${name}(${verb}${name})+\\. [A-Z]`));
  });

  test("character-sheet: the story model writes valid JSON, most of it forced", async () => {
    const { modded } = await runModded(model(), "character-sheet");
    const sheet = JSON.parse(modded.finished.text);
    expect(Object.keys(sheet)).toEqual(["name", "animal", "age", "toys"]);
    expect(["Lily", "Tom", "Max", "Mia"]).toContain(sheet.name);
    expect(sheet.age).toBeGreaterThanOrEqual(3);
    expect(sheet.toys.length).toBeGreaterThanOrEqual(1);
    const { forwardPasses, completionTokens } = modded.finished.usage;
    expect(forwardPasses).toBeLessThan(completionTokens / 4);
  });
});

describeOnInstructModel((model) => {
  test("json-answer: name, age and hobbies, as the message has them", async () => {
    const { plain, modded } = await runPlainAndModded(model(), "json-answer", {}, 24);
    expect(plain.finished.text).toMatch(/^Tom is a 34-year-old/);
    expect(JSON.parse(modded.finished.text)).toEqual({
      name: "Tom",
      age: 34,
      hobbies: ["football", "reading"],
    });
  });

  test("check-json: the colour that the schema does not know is taken back", async () => {
    const { plain, modded } = await runPlainAndModded(model(), "check-json");
    const first = (text: string) => JSON.parse(/```(?:json)?\n([\s\S]*?)```/.exec(text)?.[1] ?? "");
    expect(first(plain.finished.text)).toEqual({ name: "Felix", age: 10, color: "black" });
    expect(first(modded.finished.text)).toEqual({ name: "Felix", age: 10, color: "red" });
    expect(modded.removed[0]).toBe("black");
  });

  test("short-json: the schema of the request, with shorter texts, so that it comes to an end", async () => {
    const { plain, modded } = await runPlainAndModded(model(), "short-json", {}, 40);
    expect(plain.finished.reason).toBe("length");
    expect(() => JSON.parse(plain.finished.text)).toThrow();
    const { title, summary } = JSON.parse(modded.finished.text);
    expect(title).toBe("The Sea");
    expect(summary).toMatch(/^The Sea is/);
    expect(summary.length).toBeLessThanOrEqual(40);
  });
});
