/** AI SDK 5, 6 and 7 as installed packages, each used as docs/embed.md describes. */
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { MidtokenEngine } from "../api/midtoken-engine.ts";
import { createScriptedModel } from "../testing/scripted-model.ts";
import { createTestEngine } from "../testing/test-engine.ts";
import { checkProviderVersion } from "./check-version.ts";
import { createMidtoken } from "./index.ts";
import { aiSdkVersions, openAiCompatibleProvider } from "./testing/older-cases.ts";

const call = '<tool_call>\n{"name": "weather", "arguments": {"city": "Rome"}}\n</tool_call>';

describe.each(aiSdkVersions)("$name over the fetch handler", ({ load }) => {
  let engine: MidtokenEngine;
  let ai: Awaited<ReturnType<typeof load>>[0];
  let asked = 0;
  let modelOf: (id: string) => unknown;

  beforeAll(async () => {
    engine = await createTestEngine({
      models: [
        createScriptedModel({ id: "plain", script: "Good day." }),
        createScriptedModel({ id: "reader", script: ['{"name": "Ada", "age": 36}'] }),
        createScriptedModel({
          id: "guide",
          script: (turns) => (turns.at(-1)?.role === "tool" ? `It is ${turns.at(-1)?.text}.` : [call]),
        }),
      ],
    });
    const [first, compatible] = await load();
    ai = first;
    modelOf = openAiCompatibleProvider(compatible, engine, () => {
      asked += 1;
    });
  });
  afterAll(() => engine.dispose());

  test("an answer, whole and streamed, with its usage", async () => {
    const { text, usage } = await ai.generateText({ model: modelOf("plain"), prompt: "Hello" });
    expect(text).toBe("Good day.");
    expect(usage).toMatchObject({ outputTokens: expect.any(Number), inputTokens: expect.any(Number) });
    let streamed = "";
    for await (const piece of ai.streamText({ model: modelOf("plain"), prompt: "Hello" }).textStream)
      streamed += piece;
    expect(streamed).toBe("Good day.");
  });

  test("an object that fits a schema", async () => {
    const schema = z.object({ name: z.string(), age: z.number() });
    const { object } = await ai.generateObject({ model: modelOf("reader"), schema, prompt: "Who?" });
    expect(object).toEqual({ name: "Ada", age: 36 });
  });

  test("a tool, called and answered", async () => {
    const weather = ai.tool({
      description: "The weather in a city",
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }: { city: string }) => (city === "Rome" ? "sunny" : "rainy"),
    });
    const { text } = await ai.generateText({
      model: modelOf("guide"),
      prompt: "What is the weather in Rome?",
      tools: { weather },
      stopWhen: ai.stepCountIs(2),
    });
    expect(text).toContain("sunny");
  });

  test("an unknown model is refused once, with the names of those that are there", async () => {
    asked = 0;
    const answer = ai.generateText({ model: modelOf("nobody"), prompt: "Hello" });
    await expect(answer).rejects.toMatchObject({ statusCode: 404, isRetryable: false });
    await expect(answer).rejects.toThrow(/There is no model "nobody". The loaded models are plain/);
    expect(asked).toBe(1);
  });
});

test.each([
  ["ai 5", "ai5", false],
  ["ai 6", "ai6", false],
  ["ai 7", "ai", true],
])("beside the provider package of %s, midtoken/ai-sdk says what to install", async (_, name, isRight) => {
  const { resolve } = createRequire(createRequire(import.meta.url).resolve(name));
  const installed = await import(pathToFileURL(resolve("@ai-sdk/provider")).href);
  const check = () => checkProviderVersion(installed);
  if (isRight) expect(check).not.toThrow();
  else expect(check).toThrow(/npm install ai@7 @ai-sdk\/provider@4\. .* @ai-sdk\/openai-compatible@1/);
});

test.each(aiSdkVersions.slice(0, 2))(
  "$name refuses the provider of midtoken/ai-sdk, which is for ai 7",
  async ({ load }) => {
    const engine = await createTestEngine({ models: createScriptedModel({ script: "Good day." }) });
    const [ai] = await load();
    const answer = ai.generateText({ model: createMidtoken(engine)("scripted"), prompt: "Hello" });
    await expect(answer).rejects.toThrow('Unsupported model version v4 for provider "midtoken"');
    engine.dispose();
  },
);
