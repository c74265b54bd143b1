/** Each gallery mod does what it says, on the model it is meant for, with the settings it is shown with. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { modelsFolder } from "../../scripts/models-folder.ts";
import { type Example, examples } from "./index.ts";
import { inProcessMod } from "./testing/in-process-mod.ts";
import { type Outcome, openTestModel, type TestModel } from "./testing/test-model.ts";

function exampleNamed(name: string): Example {
  const example = examples.find((entry) => entry.name === name);
  if (!example) throw new Error(`No example is named ${name}.`);
  return example;
}

/** The example as the page runs it, and the same request without it. */
async function runBoth(
  model: TestModel,
  name: string,
  maxTokens = exampleNamed(name).maxTokens,
): Promise<{ readonly plain: Outcome; readonly modded: Outcome }> {
  const { suggestedPrompt: messages, source, temperature, seed } = exampleNamed(name);
  const settings = { messages, maxTokens, temperature, seed };
  const plain = await model.run(settings);
  const modded = await model.run(settings, [inProcessMod(source, model.tokenizer)]);
  expect(modded.recordsOf("modCall").map(({ fault }) => fault?.message)).not.toContainEqual(
    expect.any(String),
  );
  return { plain, modded };
}

const story = [{ role: "user", content: "Once upon a time" }] as const;

/** Leaves the model no choice but "L" and then "ily". */
const spellsLily = `import { mod } from "midtoken/mod";
let written = 0;
export default mod({
  forwardPass(event, actions, tokenizer) {
    if (written < 2) return actions.adjustLogits({ only: [tokenizer.encode("Lily")[written++]!] });
  },
});`;

test("the gallery is in order", () => {
  const files = Object.keys(import.meta.glob("./*.ts"))
    .map((path) => path.slice(2, -3))
    .filter((name) => !/^index$|^sdk-sources|\.test$/.test(name));
  expect(examples.map(({ name }) => name).sort()).toEqual(files.sort());
  for (const { name, description, source } of examples) {
    expect(name).toMatch(/^[a-z0-9][a-z0-9_-]*$/);
    expect(description).toMatch(/^[A-Z][^.]*\.$/);
    expect(source.split("\n").length).toBeLessThanOrEqual(61);
    for (const [, from] of source.matchAll(/from "([^"]*)"/g)) {
      expect(from).toMatch(/^midtoken\/(mod|strategies|flow)$/);
    }
  }
});

describe("on the bundled story model", () => {
  let model: TestModel;
  beforeAll(async () => {
    model = await openTestModel("public/models/stories260k", "onnx/model.onnx");
  });
  afterAll(() => model.dispose());

  const usual =
    ", there was a little girl named Lily. She loved to play outside in the park. One day, she saw";

  test.each(["skeleton", "skeleton-function"])("%s looks and changes nothing", async (name) => {
    const { plain, modded } = await runBoth(model, name);
    expect(modded.finished.text).toBe(plain.finished.text);
    expect(usual.startsWith(modded.finished.text)).toBe(true);
    const seen = new Set(modded.recordsOf("modCall").map(({ event }) => event));
    expect([...seen]).toEqual(expect.arrayContaining(["prefilled", "forwardPass", "added"]));
  });

  test("replace-in-prompt: the girl of the prompt is a dog", async () => {
    const { plain, modded } = await runBoth(model, "replace-in-prompt");
    const [prompt] = modded.recordsOf("prefilled");
    expect(prompt?.tokens.map(({ text }) => text).join("")).toContain(
      "Once upon a time, there was a brave dog",
    );
    expect(prompt?.tokens[0]?.token).toBe(1);
    expect(plain.finished.text).toContain("Lily");
    expect(modded.finished.text).toMatch(/^ named Max\. Max loved to play/);
  });

  test("start-with: the first sentence, in one pass", async () => {
    const { modded } = await runBoth(model, "start-with");
    const sentence = ", there was a dragon who could not fly.";
    expect(modded.finished.text.startsWith(`${sentence} He was very happy`)).toBe(true);
    const [forced] = modded.recordsOf("added");
    expect(forced).toMatchObject({ source: "forced", mod: 0, index: 0 });
    expect(forced?.tokens.map(({ text }) => text).join("")).toBe(sentence);
    const passes = modded.recordsOf("forwardPass").map(({ tokenCount }) => tokenCount);
    expect(passes).toContain(forced?.tokens.length);
  });

  test("plot-twist: rain after the second sentence, once", async () => {
    const { modded } = await runBoth(model, "plot-twist");
    expect(modded.finished.text).toMatch(/^[^.]*\.[^.]*\. But then it began to rain\. One day/);
    expect(modded.recordsOf("added").filter(({ source }) => source === "forced")).toHaveLength(1);
  });

  test("ban-token: no Lily, at any step", async () => {
    const { plain, modded } = await runBoth(model, "ban-token");
    expect(plain.finished.text).toContain("Lily");
    expect(modded.finished.text).toMatch(/girl named Amy\./);
    const forwardPasses = modded.recordsOf("modCall").filter(({ event }) => event === "forwardPass");
    expect(forwardPasses).toHaveLength(modded.finished.usage.completionTokens);
    for (const { action } of forwardPasses) expect(action).toMatchObject({ type: "adjustLogits", ban: 1 });
  });

  test("ban-word: no ball, though it is two tokens", async () => {
    const { plain, modded } = await runBoth(model, "ban-word");
    expect(model.tokenizer.encode(" ball")).toHaveLength(2);
    expect(plain.finished.text).toContain("a big, red ball.");
    expect(modded.finished.text).toContain("a big, red box.");
    expect(modded.finished.text).not.toContain(" ball");
  });

  test("replace-phrase: the ball is taken back, a frog is there instead", async () => {
    const { plain, modded } = await runBoth(model, "replace-phrase");
    expect(plain.finished.text).toContain(" big, red ball");
    expect(modded.removed).toEqual([" big, red ball"]);
    expect(modded.finished.text).toContain("she saw a tiny, green frog. She wanted");
    expect(modded.recordsOf("added").filter(({ source }) => source === "reinjected")).toHaveLength(1);
  });

  test("stop-at-answer: the name is the output", async () => {
    const { modded } = await runBoth(model, "stop-at-answer");
    expect(modded.finished).toMatchObject({ reason: "forced", text: "Lily" });
  });

  test("call-a-tool: asks for the weather in the park, and says nothing", async () => {
    const { modded } = await runBoth(model, "call-a-tool");
    expect(modded.finished).toMatchObject({ reason: "tool_calls", text: "" });
    const [call, ...more] = modded.finished.toolCalls;
    expect(more).toEqual([]);
    expect(call?.id).toMatch(/^call_\w+$/);
    expect(call?.function.name).toBe("get_weather");
    expect(JSON.parse(call?.function.arguments ?? "")).toEqual({ place: "park", unit: "celsius" });
  });

  test("rename-hero: Lily is never written, Max is", async () => {
    const { modded } = await runBoth(model, "rename-hero");
    expect(modded.finished.text).toContain("girl named Max. Max loved to play");
    expect(modded.finished.text).not.toContain("Lily");
  });

  test("rename-hero: where the name is two tokens, the first is taken back", async () => {
    const { source, temperature, seed } = exampleNamed("rename-hero");
    const settings = { messages: story, maxTokens: 8, temperature, seed };
    const spelling = inProcessMod(spellsLily, model.tokenizer);
    expect((await model.run(settings, [spelling])).finished.text).toMatch(/^Lily/);
    const modded = await model.run(settings, [
      inProcessMod(spellsLily, model.tokenizer),
      inProcessMod(source, model.tokenizer),
    ]);
    expect(modded.finished.text).toMatch(/^Max/);
    expect(modded.removed).toEqual(["L"]);
  });

  test("happy-ending: the end is taken back and another one written", async () => {
    const { plain, modded } = await runBoth(model, "happy-ending");
    expect(plain.finished.reason).toBe("stop");
    expect(modded.finished.reason).toBe("stop");
    expect(modded.finished.text).toBe(`${plain.finished.text} And they all lived happily ever after.`);
    expect(modded.recordsOf("backtracked")).toHaveLength(1);
  });

  test("mood-swings: each step's temperature follows its entropy", async () => {
    const { plain, modded } = await runBoth(model, "mood-swings");
    const adjusted = modded.recordsOf("adjusted");
    const passes = new Map(modded.recordsOf("forwardPass").map((pass) => [pass.step, pass.before.entropy]));
    expect(adjusted.length).toBeGreaterThan(60);
    for (const { step, temperature } of adjusted) {
      // The mod sees the likeliest 64 of 512: nearly all of the entropy.
      const bits = passes.get(step) ?? Number.NaN;
      const expected = bits < 1 ? 0 : Math.min(1.5, bits / 3);
      if (Math.abs(bits - 1) > 0.1) expect(Math.abs((temperature ?? -1) - expected)).toBeLessThan(0.1);
    }
    expect(new Set(adjusted.map(({ temperature }) => temperature)).size).toBeGreaterThan(10);
    expect(modded.finished.text).not.toBe(plain.finished.text);
  });

  test("second-thoughts: unlikely tokens are taken back, one at a time", async () => {
    const { plain, modded } = await runBoth(model, "second-thoughts");
    const floor = Math.log(0.05);
    const unlikely = (outcome: Outcome) =>
      outcome.recordsOf("sampled").filter(({ logprobAfter }) => logprobAfter < floor).length;
    expect(unlikely(plain)).toBeGreaterThan(5);
    expect(modded.removed.length).toBeGreaterThan(5);
    expect(modded.recordsOf("backtracked").every(({ removed }) => removed.length === 1)).toBe(true);
    const refused = new Map<number, Set<number>>();
    for (const { step, token, logprobAfter } of modded.recordsOf("sampled")) {
      expect(refused.get(step) ?? new Set()).not.toContain(token);
      if (logprobAfter < floor) refused.set(step, (refused.get(step) ?? new Set()).add(token));
    }
    expect(modded.finished).toMatchObject({ reason: "length", usage: { completionTokens: 64 } });
  });
});

const folder = modelsFolder();
if (folder === null) {
  console.log(
    "The instruct examples did not run: set MIDTOKEN_MODELS to the folder of test models and run again.",
  );
}

describe.runIf(folder !== null)("on SmolLM2-135M-Instruct", () => {
  let model: TestModel;
  beforeAll(async () => {
    model = await openTestModel(join(folder ?? "", "smollm2-135m-instruct"), "onnx/model_int8.onnx");
  }, 60_000);
  afterAll(() => model.dispose());

  test("wait-a-minute: the end is taken back once, and the answer goes on", async () => {
    const { plain, modded } = await runBoth(model, "wait-a-minute", 20);
    expect(plain.finished).toMatchObject({ reason: "stop", text: "No." });
    expect(modded.finished.text).toMatch(/^No\.\n\nWait, let me think again\. The answer is yes/);
    expect(modded.recordsOf("backtracked")).toHaveLength(1);
  }, 30_000);

  test("change-its-mind: No is taken back, and Yes argued for", async () => {
    const { modded } = await runBoth(model, "change-its-mind", 16);
    expect(modded.removed).toEqual(["No"]);
    expect(modded.finished.text).toMatch(/^Yes, because of the way the human eye/);
  }, 30_000);

  test("weather-tool: a tool call, with nothing computed", async () => {
    const { modded } = await runBoth(model, "weather-tool", 1);
    expect(modded.finished).toMatchObject({ reason: "tool_calls", text: "", usage: { forwardPasses: 0 } });
    const calls = modded.finished.toolCalls.map((call) => call.function);
    expect(calls).toEqual([{ name: "get_weather", arguments: '{"city":"Paris"}' }]);
  }, 30_000);
});
