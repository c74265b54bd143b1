/** Tool calls on real graphs: small models of the catalogue's families with random weights, and SmolLM2-135M-Instruct. */
import Ajv from "ajv";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { modelFolder } from "../../../scripts/models-folder.ts";
import { hubFolderAddress } from "../../runtime/engine/base/hub-folder.ts";
import { loadModel, type ModelBundle } from "../../runtime/engine/load/load-model.ts";
import { type ModelHub, startModelHub } from "../../runtime/engine/testing/model-hub.ts";
import { defaultSampling, type Message, type ToolDefinition } from "../sdk/request.ts";
import type { ToolFormat } from "./format.ts";
import { createGraniteFormat } from "./granite.ts";
import { hermesFormat } from "./hermes.ts";
import { llama3Format, plainFormat } from "./leading-object.ts";
import { lfm2Format } from "./lfm2.ts";
import { offerTools } from "./offer-tools.ts";
import { type RequestCase, runRequestCase } from "./testing/answer.ts";
import { tools, weather } from "./testing/tools.ts";

const miniaturesFolder = modelFolder("exported");
const instructFolder = modelFolder("smollm2-135m-instruct");
const ajv = new Ajv({ strict: false });

let hub: ModelHub;
beforeAll(async () => {
  const exported = ["tiny-qwen3", "tiny-llama3rope", "tiny-llama", "tiny-granite", "tiny-gemma3"];
  hub = await startModelHub({
    ...Object.fromEntries(exported.map((name) => [`test/${name}`, `${miniaturesFolder}/${name}`])),
    "test/smollm2": `${instructFolder}`,
  });
});
afterAll(() => hub?.close());

async function load(name: string, dtype: string): Promise<ModelBundle> {
  const id = `test/${name}`;
  const url = hubFolderAddress(id, "main", hub.host);
  return loadModel({ id, url, revision: "main", dtype: { webgpu: dtype, wasm: dtype } }, "wasm");
}

const miniatures: readonly [string, ToolFormat][] = [
  ["tiny-qwen3", hermesFormat],
  ["tiny-llama3rope", llama3Format],
  // LFM2's format with other weights, because the engine does not run LFM2's convolutions yet.
  ["tiny-llama", lfm2Format],
  ["tiny-granite", createGraniteFormat("<|tool_call|>")],
  ["tiny-gemma3", plainFormat],
];

describe.skipIf(miniaturesFolder === null).each(miniatures)("%s", (name, format) => {
  let bundle: ModelBundle;
  beforeAll(async () => {
    bundle = await load(name, "fp32");
  });
  afterAll(() => bundle?.model.dispose());

  test.each([1, 2])("a required call is always a valid one (seed %i)", async (seed) => {
    const { model, tokenizer } = bundle;
    const said = await runRequestCase({
      model,
      tokenizer,
      format,
      tools,
      toolChoice: "required",
      request: { seed, maxTokens: 500 },
      prompt: bundle.formatPrompt([{ role: "user", content: "Rain in Oslo?" }]),
    });
    expect(said.finished).toMatchObject({ reason: "tool_calls", error: null });
    for (const { function: called } of said.finished.toolCalls) {
      const schema = tools.find((tool) => tool.function.name === called.name)?.function.parameters ?? {};
      expect(ajv.validate(schema, JSON.parse(called.arguments)), called.arguments).toBe(true);
    }
  });
});

describe.skipIf(instructFolder === null)("SmolLM2-135M-Instruct", () => {
  let bundle: ModelBundle;
  beforeAll(async () => {
    bundle = await load("smollm2", "int8");
  });
  afterAll(() => bundle?.model.dispose());

  const ask = (content: string, rest: Partial<RequestCase> & { offered?: readonly ToolDefinition[] }) => {
    const { model, tokenizer, tokenizerData } = bundle;
    const template = String(tokenizerData.tokenizerConfig.chat_template);
    const messages: Message[] = [{ role: "user", content }];
    const offered = offerTools(template, plainFormat, messages, rest.offered ?? []);
    const prompt = bundle.formatPrompt(offered.messages, offered.tools);
    const sampling = { ...defaultSampling, temperature: 0 };
    return runRequestCase({
      model,
      tokenizer,
      format: plainFormat,
      prompt,
      ...(rest.offered && { tools: rest.offered }),
      ...rest,
      request: { maxTokens: 120, sampling, ...rest.request },
    });
  };

  const person = {
    type: "object",
    properties: {
      name: { type: "string", maxLength: 30 },
      age: { type: "integer", minimum: 0, maximum: 150 },
      city: { type: "string", maxLength: 30 },
    },
    required: ["name", "age", "city"],
    additionalProperties: false,
  };

  test("json_schema: what stands in a sentence is taken out of it", async () => {
    const said = await ask("Anna is 34 years old and lives in Oslo. Give me name, age and city as JSON.", {
      responseFormat: { type: "json_schema", json_schema: { name: "person", schema: person } },
    });
    expect(said.finished.reason).toBe("stop");
    const value = JSON.parse(said.finished.text);
    expect(ajv.validate(person, value)).toBe(true);
    expect(value).toEqual({ name: "Anna", age: 34, city: "Oslo" });
    const { forwardPasses, completionTokens } = said.finished.usage;
    console.log(`json_schema: ${forwardPasses} passes for ${completionTokens} tokens: ${said.finished.text}`);
    expect(forwardPasses).toBeLessThan(completionTokens);
  });

  test("a required call is made with the right arguments, in at most half as many passes as tokens", async () => {
    const said = await ask("What is the weather in Oslo?", {
      offered: [weather],
      toolChoice: "required",
      parallelToolCalls: false,
    });
    expect(said.finished.reason).toBe("tool_calls");
    const [call] = said.finished.toolCalls;
    const { forwardPasses, completionTokens } = said.finished.usage;
    console.log(`tool call: ${forwardPasses} passes for ${completionTokens} tokens: ${said.text}`);
    expect(ajv.validate(weather.function.parameters ?? {}, JSON.parse(call?.function.arguments ?? ""))).toBe(
      true,
    );
    expect(JSON.parse(call?.function.arguments ?? "").city).toBe("Oslo");
    expect(forwardPasses * 2).toBeLessThanOrEqual(completionTokens);
  });

  test("with tools it may answer in words", async () => {
    const said = await ask("What is 2 plus 2?", {
      offered: [weather],
      toolChoice: "none",
      request: { maxTokens: 24 },
    });
    expect(said.finished.toolCalls).toEqual([]);
    expect(["stop", "length"]).toContain(said.finished.reason);
  });
});
