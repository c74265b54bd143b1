/** Who draws the tokens of a request behind `midtoken serve --engine`: without a seed llama.cpp's server, with a seed the gateway. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { findLlamaServer, llamaServerRequirement } from "../../../../scripts/remote/find-server.ts";
import { type RunningLlamaServer, startLlamaServer } from "../../../../scripts/remote/start-server.ts";
import { storyGguf } from "../../../../scripts/remote/story-gguf.ts";
import { decodeTraceFile } from "../../../core/trace/codec/codec.ts";
import type { SampledRecord } from "../../../core/trace/format/format.ts";
import type { FakeLlama, FakeLlamaOptions } from "../../../runtime/remote/testing/fake-llama.ts";
import { startFakeStoryServer } from "../testing/fake-story.ts";
import { type ServingGateway, serveGateway } from "../testing/serve-gateway.ts";

const open: { stop(): unknown }[] = [];

async function serve(urls: readonly string[], ...words: readonly string[]): Promise<ServingGateway> {
  const gateway = await serveGateway(urls, words);
  open.push(gateway);
  return gateway;
}

async function fakeServer(options: Partial<FakeLlamaOptions> = {}): Promise<FakeLlama> {
  const fake = await startFakeStoryServer({ slots: 4, ...options });
  open.push({ stop: () => fake.close() });
  return fake;
}

afterEach(async () => {
  for (const each of open.splice(0)) await each.stop();
});

const plain = { model: "stories260k", prompt: "Once upon a time", max_tokens: 12 };
const chat = {
  model: "stories260k",
  messages: [{ role: "user" as const, content: "Once upon a time there was a girl" }],
  max_tokens: 12,
};

/** The records of the tokens that were drawn for a request. */
async function drawnTokens({ address }: ServingGateway, id: string): Promise<readonly SampledRecord[]> {
  const file = await fetch(`${address}/requests/${id}/trace`);
  const { records } = decodeTraceFile(new Uint8Array(await file.arrayBuffer())).trace;
  return records.filter((record): record is SampledRecord => record.type === "sampled");
}

/** Who drew the tokens: each name once. */
async function drawersOf(gateway: ServingGateway, id: string | null | undefined): Promise<readonly string[]> {
  const sampled = await drawnTokens(gateway, id ?? "");
  expect(sampled.length).toBeGreaterThan(0);
  return [...new Set(sampled.map(({ drawnBy = "gateway" }) => drawnBy))];
}

describe("on a fake server", () => {
  test.each<[string, readonly string[], object, string]>([
    ["no seed", [], {}, "server"],
    ["no seed (null)", [], { seed: null }, "server"],
    ["a seed", [], { seed: 0 }, "gateway"],
    ["a seed, --server-draws", ["--server-draws"], { seed: 0 }, "server"],
    ["no seed, --no-server-draws", ["--no-server-draws"], {}, "gateway"],
    ["no seed, temperature 0", [], { temperature: 0 }, "gateway"],
    ["no seed, a bias", [], { logit_bias: { 300: -100 } }, "gateway"],
  ])("%s", async (_, words, fields, drawer) => {
    const fake = await fakeServer();
    const gateway = await serve([fake.url], "--listed", "64", ...words);
    const { client } = gateway;
    const text = await client.completions.create({ ...plain, ...fields });
    const message = await client.chat.completions.create({ ...chat, ...fields });
    const response = await fetch(`${gateway.address}/responses`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: plain.model, input: plain.prompt, max_output_tokens: 12, ...fields }),
    });
    for (const id of [text._request_id, message._request_id, response.headers.get("x-request-id")])
      expect(await drawersOf(gateway, id)).toEqual([drawer]);
    const streams = fake.bodies("/completion").filter(({ stream }) => stream === true);
    expect([...new Set(streams.map(({ temperature }) => temperature))]).toEqual([
      drawer === "server" ? 1 : 0,
    ]);
  });

  test("a server that stops while it draws: another one goes on from the tokens so far", async () => {
    let waits = true;
    const beforeEvent = async (place: number) => {
      if (waits && place >= 20) await new Promise(() => {});
    };
    const fakes = [await fakeServer({ beforeEvent }), await fakeServer({ beforeEvent })];
    const gateway = await serve(fakes.map(({ url }) => url));
    let [text, pieces] = ["", 0];
    const request = { ...chat, max_tokens: 60, stream: true } as const;
    for await (const chunk of await gateway.client.chat.completions.create(request)) {
      text += chunk.choices[0]?.delta.content ?? "";
      pieces += 1;
      if (pieces !== 10) continue;
      waits = false;
      await fakes.find((fake) => fake.bodies("/completion").length > 0)?.close();
    }
    // A fake server draws its most likely tokens.
    const whole = await gateway.client.chat.completions.create({ ...chat, max_tokens: 60, temperature: 0 });
    expect(text).toBe(whole.choices[0]?.message.content);
  });
});

const isThere = findLlamaServer() !== null;
if (!isThere) test.skip(llamaServerRequirement);

describe.runIf(isThere)("on a real server", () => {
  let server: RunningLlamaServer;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "midtoken-serve-draws-"));
    writeFileSync(join(folder, "story.gguf"), storyGguf());
    server = await startLlamaServer({ model: join(folder, "story.gguf"), slots: 4 });
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("without a seed each token is the server's, with its log-probabilities; choices and requests differ", async () => {
    const gateway = await serve([server.url], "--listed", "20");
    const texts: string[] = [];
    for (const settings of [{}, {}, { top_p: 0.9 }, { top_k: 30, min_p: 0.01 }]) {
      const request = { ...chat, ...settings, n: 2, logprobs: true, top_logprobs: 3 };
      const { choices, ...rest } = await gateway.client.chat.completions.create(request);
      const { midtoken } = rest as unknown as { midtoken: { request_ids: string[] } };
      for (const [place, { message, logprobs }] of choices.entries()) {
        texts.push(message.content ?? "");
        const sampled = await drawnTokens(gateway, midtoken.request_ids[place] as string);
        expect(sampled.every(({ drawnBy }) => drawnBy === "server")).toBe(true);
        expect(logprobs?.content?.map(({ logprob }) => logprob)).toEqual(
          sampled.map(({ logprobAfter }) => expect.closeTo(logprobAfter, 4)),
        );
        for (const { logprob } of logprobs?.content ?? []) expect(logprob).toBeLessThanOrEqual(0);
      }
    }
    expect(new Set(texts).size).toBeGreaterThan(2);
  });

  test("with a seed the same request has the same answer, whatever was asked without one", async () => {
    const gateway = await serve([server.url], "--listed", "20");
    const ask = async (seed?: number) =>
      (await gateway.client.chat.completions.create({ ...chat, seed })).choices[0]?.message.content;
    const first = await ask(7);
    await ask();
    expect(await ask(7)).toBe(first);
  });

  test("without a seed a JSON Schema holds, and a mod that changes each step is asked at each", async () => {
    const mods = join(folder, "louder.ts");
    writeFileSync(
      mods,
      `import { mod } from "midtoken/mod";
       export default mod({ forwardPass: (event, actions) => actions.adjustLogits({ add: { 300: 0.5 } }) });`,
    );
    const gateway = await serve([server.url], "--listed", "64", "--mod", mods);
    const schema = {
      type: "object",
      properties: { name: { type: "string", maxLength: 8 }, age: { type: "integer", maximum: 99 } },
      required: ["name", "age"],
      additionalProperties: false,
    };
    const json = await gateway.client.chat.completions.create({
      ...chat,
      max_tokens: 100,
      response_format: { type: "json_schema", json_schema: { name: "person", schema, strict: true } },
    });
    expect(JSON.parse(json.choices[0]?.message.content ?? "")).toMatchObject({
      name: expect.any(String),
      age: expect.any(Number),
    });
    const louder = await gateway.client.completions.create({ ...plain, model: "stories260k/louder" });
    expect(await drawersOf(gateway, louder._request_id)).toEqual(["gateway"]);
  });
});
