/** Runs those examples of docs/embed.md that need no page, with scripted models. `e2e/package/examples.ts` runs the others in Chromium. */
import { expect, test } from "vitest";
import { askAboutWeather, readPerson } from "../../../e2e/docs/embed/generate-text.ts";
import { clientOf } from "../../../e2e/docs/embed/openai-client.ts";
import { readTrace } from "../../../e2e/docs/embed/read-trace.ts";
import { runAlone, runInAnEngine } from "../../../e2e/docs/embed/test-a-mod.ts";
import { mod } from "../../core/sdk/mod.ts";
import { createScriptedModel } from "../testing/scripted-model.ts";
import { createTestEngine } from "../testing/test-engine.ts";

test("a mod under test", async () => {
  expect(await runAlone()).toEqual({ text: "There was a girl named Max.", forced: [" Max."] });
  expect(await runInAnEngine()).toBe("There was a girl named Max.");
});

test("tools and structured output by the AI SDK", async () => {
  const call = '<tool_call>\n{"name": "weather", "arguments": {"city": "Rome"}}\n</tool_call>';
  const engine = await createTestEngine({
    models: [
      createScriptedModel({
        id: "guide",
        script: (turns) => (turns.at(-1)?.role === "tool" ? `It is ${turns.at(-1)?.text}.` : [call]),
      }),
      createScriptedModel({ id: "reader", script: ['{"name": "Ada", "age": 36}'] }),
    ],
    mods: { sure: mod({ prefilled: () => undefined }) },
  });
  const { text, did, link } = await askAboutWeather(engine, "guide/sure");
  expect([text, did]).toEqual(["It is sunny.", []]);
  expect(link).toMatch(/^#t\d/);
  expect(await readPerson(engine, "reader")).toEqual({ name: "Ada", age: 36 });
  engine.dispose();
});

test("OpenAI's client, and a trace that is read", async () => {
  const engine = await createTestEngine({ models: createScriptedModel({ script: "Good day." }) });
  const answer = await clientOf(engine).chat.completions.create({
    model: "scripted",
    messages: [{ role: "user", content: "Hello" }],
  });
  expect(answer.choices[0]?.message.content).toBe("Good day.");
  const [request] = engine.requests.list();
  const bytes = await engine.requests.traceFile(request?.id ?? "");
  expect(await readTrace(bytes)).toEqual({ text: "Good day.", interventions: 0 });
  engine.dispose();
});
