/** Failures of the server behind a gateway: the client gets a gateway's status, and the next request works. */
import { afterEach, describe, expect, test } from "vitest";
import {
  createResponseFault,
  type FakeLlama,
  type FakeLlamaOptions,
  type FakeServerFault,
} from "../../../runtime/remote/testing/fake-llama.ts";
import { startFakeStoryServer } from "../testing/fake-story.ts";
import { type ServingGateway, serveGateway } from "../testing/serve-gateway.ts";

const open: { stop(): unknown }[] = [];

async function fakeServer(options: Partial<FakeLlamaOptions> = {}): Promise<FakeLlama> {
  const fake = await startFakeStoryServer({ slots: 2, ...options });
  open.push({ stop: () => fake.close() });
  return fake;
}

async function serve(fake: FakeLlama, ...words: readonly string[]): Promise<ServingGateway> {
  const gateway = await serveGateway([fake.url], words);
  open.push(gateway);
  return gateway;
}

afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.stop();
});

const ask = ({ address }: ServingGateway, fields: object = {}) =>
  fetch(`${address}/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "stories260k", prompt: "Once", max_tokens: 8, temperature: 0, ...fields }),
  });

/** Undefined for an error. */
const textOf = (answer: string): string | undefined =>
  (JSON.parse(answer) as { readonly choices?: readonly { readonly text: string }[] }).choices?.[0]?.text;

const breaks: FakeServerFault = (_, response) => void response.destroy();
const redirects: FakeServerFault = (_, response) => {
  response.writeHead(302, { location: "http://127.0.0.1:1/" });
  response.end();
};
const silent: FakeServerFault = () => undefined;

describe.each<readonly [string, FakeServerFault, number, string]>([
  ["breaks the connection before its answer", breaks, 503, "upstream_unavailable"],
  ["answers 500", createResponseFault(500, { error: { message: "broken" } }), 502, "upstream_failed"],
  ["answers no JSON", createResponseFault(200, "<html>"), 502, "upstream_failed"],
  ["answers in an unknown shape", createResponseFault(200, { text: "hi" }), 502, "upstream_failed"],
  [
    "refuses the key",
    createResponseFault(401, { error: { message: "Invalid API Key" } }),
    502,
    "upstream_failed",
  ],
  ["redirects", redirects, 502, "upstream_failed"],
  ["answers 429", createResponseFault(429, { error: { message: "busy" } }), 503, "upstream_unavailable"],
  [
    "answers 503",
    createResponseFault(503, { error: { message: "Loading model" } }),
    503,
    "upstream_unavailable",
  ],
  ["is silent", silent, 504, "request_timeout"],
])("a server that %s", (_, fault, status, code) => {
  test(`is a ${status} (${code}), and the next request works`, async () => {
    const fake = await fakeServer();
    // Where only the limit ends the request. On a busy machine another request can exceed it too, and is sent again.
    const gateway = await serve(fake, ...(fault === silent ? ["--timeout", "2"] : []));
    const textWhenItWorks = async (): Promise<string> => {
      let text: string | undefined;
      await expect.poll(async () => (text = textOf(await (await ask(gateway)).text()))).toBeDefined();
      return text ?? "";
    };
    const before = await textWhenItWorks();
    fake.faults.set("/completion", fault);
    const [failed, stream] = await Promise.all([ask(gateway), ask(gateway, { stream: true })]);
    const { error } = (await failed.json()) as { error: { code: string; message: string } };
    expect({ status: failed.status, code: error.code }).toEqual({ status, code });
    expect(failed.headers.get("x-should-retry")).toBe(String(status === 503));
    const streamed = await stream.text();
    expect(streamed).toContain(code);
    // Only the log of the gateway names the server.
    expect(error.message + streamed).not.toContain(new URL(fake.url).host);
    if (code !== "request_timeout")
      expect(gateway.lines.join("\n")).toMatch(new RegExp(`${fake.url}|The server's`));
    fake.faults.delete("/completion");
    expect(await textWhenItWorks()).toBe(before);
  });
});

test("a server that draws a banned token is a 502 that names the token, and the next request works", async () => {
  let ignoresBans = false;
  const vocabularySize = 2_000;
  // Nearly flat: half of the draws at temperature 1 hit a token beyond the 1,024 most likely ones, which the server draws.
  const row = Array.from({ length: vocabularySize }, (_, id) => -Math.log(vocabularySize) - id * 1e-6);
  const fake = await fakeServer({ vocabularySize, rowAfter: () => row, ignoresBans: () => ignoresBans });
  const gateway = await serve(fake, "--listed", "20");
  const greedy = await (await ask(gateway)).text();
  ignoresBans = true;
  const fields = { temperature: 1, seed: 1, max_tokens: 12 };
  const [failed, stream] = await Promise.all([
    ask(gateway, fields),
    ask(gateway, { ...fields, stream: true }),
  ]);
  const message = expect.stringMatching(/The server sampled token \d+, which was banned/) as string;
  expect(failed.status).toBe(502);
  expect(await failed.json()).toMatchObject({ error: { code: "upstream_failed", message } });
  const streamed = await stream.text();
  expect(streamed).toMatch(/which was banned/);
  ignoresBans = false;
  expect(textOf(await (await ask(gateway)).text())).toBe(textOf(greedy));
});

test("a server that is gone is a 503, with what to do", async () => {
  const fake = await fakeServer();
  const gateway = await serve(fake);
  await fake.close();
  const failed = await ask(gateway);
  expect(failed.status).toBe(503);
  expect(await failed.json()).toMatchObject({
    error: {
      code: "upstream_unavailable",
      message: expect.stringMatching(
        /No server answers at .*Start the server, or correct the address/,
      ) as string,
    },
  });
});

test("a stream that breaks in the middle: the text so far stays, and the answer goes on", async () => {
  let broken = 0;
  const fake = await fakeServer({
    beforeEvent(place, response) {
      if (place !== 3 || broken > 0) return;
      broken += 1;
      response.destroy();
    },
  });
  const gateway = await serve(fake);
  const first = await (await ask(gateway)).json();
  expect(broken).toBe(1);
  const second = await (await ask(gateway)).json();
  const textOf = (answer: unknown) => (answer as { choices: { text: string }[] }).choices[0]?.text;
  expect(textOf(first)).toBe(textOf(second));
});

test("the text before the fault is in the trace, and in the stream before its error", async () => {
  let count = 0;
  const fake = await fakeServer({
    async beforeEvent(place, response) {
      // Waits for earlier events, which are sent in turns of the event loop.
      await new Promise((resolve) => setTimeout(resolve, 10));
      // Streams and single steps break after some tokens.
      if (place >= 3) response.destroy();
    },
    async before(path) {
      if (path === "/completion" && ++count > 1) fake.faults.set(path, createResponseFault(500, {}));
    },
  });
  const gateway = await serve(fake);
  const streamed = await (await ask(gateway, { stream: true, max_tokens: 40 })).text();
  const texts = [...streamed.matchAll(/"text":"([^"]+)"/g)].map(([, text]) => text);
  expect(texts.length).toBeGreaterThan(0);
  expect(streamed).toContain("upstream_failed");
  const [, id = ""] = /"request_ids":\["([^"]+)"/.exec(streamed) ?? /(request-[\w-]+)/.exec(streamed) ?? [];
  expect((await fetch(`${gateway.address}/requests/${id}/trace`)).status).toBe(200);
});

test("a server with another tokenizer is refused when the gateway starts", async () => {
  const fake = await fakeServer({ textOf: () => "?" });
  await expect(serve(fake)).rejects.toThrow(/belong to different models/);
});

test("lists of models and mods neither wait in the queue nor count there", async () => {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const fake = await fakeServer({
    before: async (path) => (path === "/completion" ? released : undefined),
  });
  const gateway = await serve(fake, "--queue", "0");
  const waitingOf = async () =>
    ((await (await fetch(new URL("/health", gateway.address))).json()) as { requests: { running: number } })
      .requests.running;
  const first = ask(gateway);
  await expect.poll(waitingOf).toBe(1);
  // There are two slots. If lists counted as requests, a list would take the last one.
  const lists = ["models", "mods", "models/stories260k"].map((path) => fetch(`${gateway.address}/${path}`));
  for (const list of await Promise.all(lists)) expect(list.status).toBe(200);
  const second = ask(gateway);
  await expect.poll(waitingOf).toBe(2);
  expect((await ask(gateway)).status).toBe(429);
  for (const path of ["models", "mods"]) expect((await fetch(`${gateway.address}/${path}`)).status).toBe(200);
  release();
  for (const answer of [await first, await second]) expect(answer.status).toBe(200);
});
