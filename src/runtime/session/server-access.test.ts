/** A session whose model runs on a server: requests go only to the named server, and its key appears nowhere else. */
import { afterEach, expect, test } from "vitest";
import { defaultSampling } from "../../core/sdk/request.ts";
import { createFolderSource } from "../../package/node/folder-source.ts";
import { startFakeStoryServer } from "../../package/node/testing/fake-story.ts";
import { createFetchExchange } from "../remote/exchange.ts";
import { loadPermittedRemoteModel } from "../remote/load-from-server.ts";
import type { FakeLlama } from "../remote/testing/fake-llama.ts";
import { Engine } from "./engine-side/engine.ts";
import type { EngineMessage, ModelReference, PageMessage } from "./shared/protocol.ts";
import type { RunRequest } from "./shared/requests.ts";

const key = "a-key-that-nobody-may-see";
const folder = "public/models/stories260k";

let server: FakeLlama | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

/** An engine like the one in the page's worker. `until` resolves with the first message of a type after the call. */
function openEngine() {
  const messages: EngineMessage[] = [];
  const waiting: { readonly type: string; readonly resolve: (message: EngineMessage) => void }[] = [];
  const engine = new Engine({
    loadModel: (reference, _device, options) =>
      loadPermittedRemoteModel(
        reference,
        { ...options, source: createFolderSource(folder) },
        createFetchExchange(),
      ),
    send(message) {
      messages.push(message);
      for (const each of waiting.splice(0)) {
        if (each.type === message.type) each.resolve(message);
        else waiting.push(each);
      }
    },
    turn: () => new Promise((resolve) => setImmediate(resolve)),
    now: () => performance.now(),
    date: () => 0,
    reportBug: (error) => {
      throw error;
    },
  });
  const until = (type: EngineMessage["type"]) =>
    new Promise<EngineMessage>((resolve) => waiting.push({ type, resolve }));
  return { engine, messages, until };
}

const referenceOn = (url: string): ModelReference => ({
  id: "models/stories260k",
  url: "http://localhost/models/stories260k/",
  revision: null,
  dtype: { webgpu: "fp32", wasm: "fp32" },
  server: url,
});

const load = (id: number, url: string) =>
  ({ type: "load", id, model: referenceOn(url), device: "auto" }) as const;

const run = (requestId: string): PageMessage => {
  const request: RunRequest = {
    requestId,
    messages: [{ role: "user", content: "Once upon a time" }],
    rawPrompt: true,
    sampling: { ...defaultSampling, temperature: 0 },
    maxTokens: 4,
    stop: [],
    seed: 1,
    onModError: "stop",
    mods: [],
  };
  return { type: "run", request, guests: [], commands: [] };
};

test("a run is computed on the named server, and no message of the engine has the key or the address", async () => {
  server = await startFakeStoryServer({ key });
  const { engine, messages, until } = openEngine();
  engine.receive({ type: "setServerAccess", access: { url: server.url, key } });
  const loaded = until("loaded");
  engine.receive(load(1, server.url));
  expect(await loaded).toMatchObject({ model: { device: "server", conversations: 1 } });
  const ended = until("ended");
  engine.receive(run("one"));
  await ended;
  const records = messages.flatMap((message) => (message.type === "records" ? message.records : []));
  expect(records.filter(({ type }) => type === "added")).toHaveLength(4);
  expect(records[0]).toMatchObject({ type: "request", model: { device: "server" } });
  expect(server.headers.at(-1)?.authorization).toBe(`Bearer ${key}`);
  const sent = JSON.stringify(messages);
  expect(sent).not.toContain(key);
  expect(sent).not.toContain(server.url);
});

test("neither the error nor the trace of a run whose server failed has the address", async () => {
  server = await startFakeStoryServer();
  const { engine, messages, until } = openEngine();
  engine.receive({ type: "setServerAccess", access: { url: server.url } });
  const loaded = until("loaded");
  engine.receive(load(1, server.url));
  await loaded;
  await server.close();
  const ended = until("ended");
  engine.receive(run("one"));
  await ended;
  const sent = JSON.stringify(messages);
  expect(sent).toContain("No server answers at the address of the model server");
  expect(sent).not.toContain(new URL(server.url).host);
});

test("a server that the user did not name is not asked", async () => {
  server = await startFakeStoryServer();
  const { engine, until } = openEngine();
  engine.receive({ type: "setServerAccess", access: { url: "http://127.0.0.1:1" } });
  const failed = until("loadFailed");
  engine.receive(load(1, server.url));
  expect(await failed).toMatchObject({
    message: expect.stringContaining("whose address you have not entered"),
  });
  expect(server.headers).toEqual([]);
});

test("a model is loaded again with a new key, though it is loaded with the old one", async () => {
  server = await startFakeStoryServer({ key });
  const { engine, until } = openEngine();
  const { url } = server;
  const loadWith = async (id: number, type: "loaded" | "loadFailed", given?: string) => {
    engine.receive({ type: "setServerAccess", access: { url, key: given } });
    const end = until(type);
    engine.receive(load(id, url));
    return end;
  };
  await loadWith(1, "loaded", key);
  expect(await loadWith(2, "loadFailed", "another")).toMatchObject({
    message: expect.stringContaining("refuses the key"),
  });
  await loadWith(3, "loaded", key);
});
