import { expect, test } from "vitest";
import { mod } from "../../core/sdk/index.ts";
import { serializeMod } from "../../core/sdk/serialize.ts";
import { createScriptedModel } from "./scripted-model.ts";
import { createTestEngine } from "./test-engine.ts";

const messages = [{ role: "user", content: "Hello" }] as const;
const hello = createScriptedModel({ id: "hello", script: "Hello there.", vocabulary: [" you."] });
const bye = createScriptedModel({ id: "bye", script: "Good bye." });

test("has several models, and mods as values and as sources", async () => {
  const you = mod({
    sampled(event, actions) {
      if (event.text === " there.") return actions.forceTokens(" you.");
    },
  });
  const engine = await createTestEngine({ models: [hello, bye], mods: { you } });
  const source = `import { mod } from "midtoken/mod";
    export default mod({ added: (event, actions) => event.text === "Good" ? actions.forceOutput("Best wishes") : undefined });`;
  await engine.mods.register(serializeMod(source, { name: "wishes" }));
  const say = async (model: string) =>
    (await engine.chat.completions.create({ model, messages })).choices[0]?.message.content;
  expect(await Promise.all(["hello", "bye", "hello/you", "bye/wishes"].map(say))).toEqual([
    "Hello there.",
    "Good bye.",
    "Hello you.",
    "Best wishes",
  ]);
  expect(engine.models.list().map(({ id }) => id)).toEqual(["hello", "bye"]);
  expect(engine.mods.list().map(({ name }) => name)).toEqual(["you", "wishes"]);
  engine.dispose();
});

test("goes on with a raw prompt", async () => {
  const engine = await createTestEngine({ models: hello });
  const { choices } = await engine.completions.create({ model: "hello", prompt: "Hello?" });
  expect(choices[0]?.text).toBe("Hello there.");
  engine.dispose();
});

test("says that it has no such model, and what does not compile", async () => {
  const engine = await createTestEngine({ models: hello });
  await expect(engine.models.load("org/other")).rejects.toThrow('The test engine has no model "org/other"');
  await expect(engine.mods.register(serializeMod("export default 1 +", { name: "bad" }))).rejects.toThrow(
    'The mod "bad", line 1',
  );
  engine.dispose();
});

test("a limit inside a character leaves its bytes out, streamed and whole", async () => {
  // The texts of a script that is a function are not tokens, so each byte of the face is a token.
  const faces = createScriptedModel({ id: "faces", script: () => ["a🙂🙂"], vocabulary: ["a"] });
  const engine = await createTestEngine({ models: faces });
  const said: string[] = [];
  for (let max_tokens = 1; max_tokens <= 9; max_tokens += 1) {
    const request = { model: "faces", messages, max_tokens };
    const whole = await engine.chat.completions.create(request);
    const stream = await engine.chat.completions.create({ ...request, stream: true });
    let streamed = "";
    for await (const { choices } of stream) streamed += choices[0]?.delta.content ?? "";
    expect(streamed).toBe(whole.choices[0]?.message.content);
    expect(whole.usage?.completion_tokens).toBe(max_tokens);
    said.push(streamed);
  }
  const texts = ["a", "a", "a", "a", "a🙂", "a🙂", "a🙂", "a🙂", "a🙂🙂"];
  expect(said).toEqual(texts);
  engine.dispose();
});
