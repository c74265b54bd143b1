/** `midtoken serve --engine`: OpenAI's API in front of a model on a server, with several conversations at the same time. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type OpenAI from "openai";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { findLlamaServer, llamaServerRequirement } from "../../../../scripts/remote/find-server.ts";
import { type RunningLlamaServer, startLlamaServer } from "../../../../scripts/remote/start-server.ts";
import { storyGguf } from "../../../../scripts/remote/story-gguf.ts";
import { startFakeSglang, startFakeVllm } from "../../../runtime/remote/testing/fake-engines.ts";
import { fakeStoryServerOptions, startFakeStoryServer } from "../testing/fake-story.ts";
import { type ServingGateway, serveGateway } from "../testing/serve-gateway.ts";
import { runMidtoken } from "../testing/test-terminal.ts";

const conversations = 16;
const folders: string[] = [];
const open: ServingGateway[] = [];
const swapName = "src/page/examples/swap-name.ts";

async function serve(urls: readonly string[], ...words: readonly string[]): Promise<ServingGateway> {
  const gateway = await serveGateway(urls, words);
  open.push(gateway);
  return gateway;
}

afterEach(async () => {
  for (const gateway of open.splice(0)) await gateway.stop();
});
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** Requests of many kinds, each with a different text. */
const requestOf = (place: number): OpenAI.ChatCompletionCreateParamsNonStreaming => ({
  model: place % 4 === 1 ? "stories260k/swap-name" : "stories260k",
  messages: [{ role: "user", content: `Once upon a time there was a girl number ${place}` }],
  max_tokens: 12,
  seed: place,
  temperature: place % 2,
});

async function textOf({ client }: ServingGateway, place: number, isStreamed: boolean): Promise<string> {
  const request = requestOf(place);
  if (!isStreamed) return (await client.chat.completions.create(request)).choices[0]?.message.content ?? "";
  let text = "";
  for await (const chunk of await client.chat.completions.create({ ...request, stream: true }))
    text += chunk.choices[0]?.delta.content ?? "";
  return text;
}

async function allAtOnce(gateway: ServingGateway): Promise<readonly string[]> {
  return Promise.all(
    Array.from({ length: conversations }, (_, place) => textOf(gateway, place, place % 3 === 0)),
  );
}

async function readRowsOneByOne(gateway: ServingGateway): Promise<readonly string[]> {
  const texts: string[] = [];
  for (let place = 0; place < conversations; place++) texts.push(await textOf(gateway, place, false));
  return texts;
}

describe("on a fake server", () => {
  test("16 conversations run side by side, and each answer is that of the same request alone", async () => {
    const texts = new Set<string>();
    let release: () => void = () => undefined;
    const full = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isHeld = false;
    const fake = await startFakeStoryServer({
      slots: conversations,
      // No conversation gets its first token before all of them have requested it.
      async before(path, prompt) {
        if (!isHeld || path !== "/completion") return;
        texts.add(prompt.slice(0, 24).join());
        if (texts.size === conversations) release();
        await full;
      },
    });
    const gateway = await serve([fake.url], "--mod", swapName);
    const alone = await readRowsOneByOne(gateway);
    isHeld = true;
    expect(await allAtOnce(gateway)).toEqual(alone);
    expect(new Set(alone).size).toBe(conversations);
    const slots = new Set(fake.bodies("/completion").map(({ id_slot }) => id_slot));
    expect(slots.size).toBe(conversations);
    await fake.close();
  });

  test("plain completions, JSON Schema, tools and mods registered over HTTP", async () => {
    const fake = await startFakeStoryServer({ slots: 2 });
    const { client, address } = await serve([fake.url]);
    const plain = { model: "stories260k", prompt: "Once", max_tokens: 4, temperature: 0 };
    const completion = await client.completions.create(plain);
    expect(completion.usage).toMatchObject({ completion_tokens: 4 });
    const parameters = {
      type: "object",
      properties: { ok: { type: "boolean" } },
      required: ["ok"],
      additionalProperties: false,
    };
    const ask = {
      model: "stories260k",
      messages: [{ role: "user" as const, content: "Well?" }],
      max_tokens: 60,
    };
    const json = await client.chat.completions.create({
      ...ask,
      response_format: {
        type: "json_schema",
        json_schema: { name: "answer", schema: parameters, strict: true },
      },
    });
    expect(JSON.parse(json.choices[0]?.message.content ?? "")).toEqual({ ok: expect.any(Boolean) });
    const called = await client.chat.completions.create({
      ...ask,
      tools: [{ type: "function", function: { name: "say", parameters, strict: true } }],
      tool_choice: "required",
    });
    const [call] = called.choices[0]?.message.tool_calls ?? [];
    expect(call).toMatchObject({ type: "function", function: { name: "say" } });
    const source = `import { mod } from "midtoken/mod";
      export default mod({ forwardPass: (event, actions) => event.step === 0 ? actions.forceTokens("HELLO") : undefined });`;
    const registered = await fetch(`${address}/mods`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "hello", source }),
    });
    expect(registered.status).toBe(200);
    const modded = await client.completions.create({ ...plain, model: "stories260k/hello", max_tokens: 12 });
    expect(modded.choices[0]?.text).toContain("HELLO");
    await fake.close();
  });

  test.each([
    ["vLLM", startFakeVllm],
    ["SGLang", startFakeSglang],
  ] as const)("%s gives the answers of llama.cpp, with mods, draws and formats", async (_, start) => {
    const [fake, llama] = [
      await start(await fakeStoryServerOptions()),
      await startFakeStoryServer({ slots: 4 }),
    ];
    const ask = async (url: string) => {
      const gateway = await serve([url], "--mod", swapName, "--listed", "64");
      const texts = await Promise.all([0, 1, 2, 3].map((place) => textOf(gateway, place, place === 2)));
      const schema = {
        type: "object",
        properties: { a: { enum: [1, 2] } },
        required: ["a"],
        additionalProperties: false,
      };
      const json = await gateway.client.chat.completions.create({
        ...requestOf(0),
        response_format: { type: "json_schema", json_schema: { name: "a", schema, strict: true } },
      });
      return [...texts, json.choices[0]?.message.content];
    };
    expect(await ask(fake.url)).toEqual(await ask(llama.url));
    await fake.close();
    await llama.close();
  });

  test("embeddings and repetition penalties are refused at once, also while a request runs", async () => {
    let isHeld = true;
    const fake = await startFakeStoryServer({
      slots: 2,
      async before(path) {
        while (isHeld && path === "/completion") await new Promise((resolve) => setTimeout(resolve, 10));
      },
    });
    const { client } = await serve([fake.url]);
    const running = client.completions.create({ model: "stories260k", prompt: "Once", max_tokens: 2 });
    const embedding = client.embeddings.create({ model: "stories260k", input: "A cat" });
    await expect(embedding).rejects.toThrow(/does not return hidden states\. Leave out embeddings/);
    const penalty = { model: "stories260k", prompt: "Once", repetition_penalty: 1.2 };
    await expect(client.completions.create(penalty)).rejects.toMatchObject({
      status: 400,
      param: "repetition_penalty",
    });
    isHeld = false;
    await running;
    await fake.close();
  });
});

test.each([
  [["--listed", "20"], "--listed needs --engine."],
  [["--priority", "3"], "--priority needs --engine."],
  [["--no-server-draws"], "--no-server-draws needs --engine."],
  [["--server-draws"], "--server-draws needs --engine."],
  [["--accept-ram-cache"], "--accept-ram-cache needs --engine."],
  [["--engine", "http://127.0.0.1:1", "--server-draws", "--no-server-draws"], "contradict each other"],
  [["--engine", "http://127.0.0.1:1", "--model", "./other"], "--engine serves one model"],
])("%j is refused before anything is loaded", async (words, message) => {
  const ran = await runMidtoken(["serve", "--model", "./no-such-model", ...words]);
  expect(ran.code).toBe(2);
  expect(ran.errors).toContain(message);
});

const isThere = findLlamaServer() !== null;
if (!isThere) test.skip(llamaServerRequirement);

describe.runIf(isThere)("on a real server", () => {
  let server: RunningLlamaServer;

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "midtoken-serve-engine-"));
    folders.push(folder);
    const model = join(folder, "story.gguf");
    writeFileSync(model, storyGguf());
    server = await startLlamaServer({ model, slots: conversations });
  });
  afterAll(() => server?.stop());

  test("16 conversations at once answer as each of them alone", async () => {
    const gateway = await serve([server.url], "--mod", swapName);
    const alone = await readRowsOneByOne(gateway);
    expect(await allAtOnce(gateway)).toEqual(alone);
  });
});
