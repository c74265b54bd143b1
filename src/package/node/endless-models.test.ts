/** Stop, Ctrl-C and SIGTERM in work that never ends: template, tokenizer and graph, at load, at the prompt and in a pass. The next request works. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  type EndlessKind,
  endlessAtLoad,
  endlessAtPrompt,
  endlessModel,
} from "../../runtime/engine/testing/endless-models.ts";
import { createEngine } from "../api/create-engine.ts";
import type { MidtokenEngine } from "../api/midtoken-engine.ts";
import { createNodeEngine } from "./create-node-engine.ts";
import { modelOf } from "./model-of.ts";
import { nodeSessionOptions } from "./node-session.ts";
import { EngineThreads } from "./testing/engine-threads.ts";
import { bundledModel, type RunOptions, runMidtoken } from "./testing/test-terminal.ts";

const folder = mkdtempSync(join(tmpdir(), "midtoken-endless-"));
const threads = new EngineThreads();
afterAll(() => {
  threads.stop();
  rmSync(folder, { recursive: true });
});

function endlessFolder(kind: EndlessKind): string {
  const root = join(folder, kind.replaceAll(" ", "-"));
  for (const [path, bytes] of endlessModel(kind)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), bytes);
  }
  return root;
}

const prompt = "Once upon a time";
const messages = [{ role: "user", content: prompt }] as const;
const story = ", there was a little girl named Lily. She";

describe("in an engine", () => {
  let engine: MidtokenEngine;
  beforeAll(async () => {
    engine = await createNodeEngine({ model: bundledModel, cacheFolder: null });
  });
  afterAll(() => engine.dispose());

  const answer = (model: string, maxTokens: number, signal?: AbortSignal) =>
    engine.chat.completions.create(
      { model, messages, max_tokens: maxTokens, temperature: 0 },
      signal && { signal },
    );

  async function works(model: string): Promise<void> {
    const { choices } = await answer(model, 12);
    expect(choices[0]?.message.content).toBe(story);
  }

  test.each(endlessAtLoad)("a load is cancelled, and another model answers: %s", async (kind) => {
    const controller = new AbortController();
    const reference = await modelOf(endlessFolder(kind));
    const loading = engine.models.load(reference, { signal: controller.signal });
    loading.catch(() => undefined);
    await threads.untilEndless(kind);
    controller.abort();
    await expect(loading).rejects.toMatchObject({ name: "AbortError" });
    await works("stories260k");
  });

  test.each(endlessAtPrompt)("a request is stopped, and the model is loaded again: %s", async (kind) => {
    const reference = await modelOf(endlessFolder(kind));
    await engine.models.load(reference);
    const controller = new AbortController();
    const stopped = answer(reference.id, 400, controller.signal);
    stopped.catch(() => undefined);
    await threads.untilEndless(kind);
    await works("stories260k");
    controller.abort();
    await expect(stopped).rejects.toMatchObject({ name: "AbortError" });
    await works("stories260k");
    const again = new AbortController();
    const second = answer(reference.id, 400, again.signal);
    second.catch(() => undefined);
    await threads.untilEndless(kind);
    again.abort();
    await expect(second).rejects.toMatchObject({ name: "AbortError" });
    engine.models.unload(reference.id);
  });

  test.each(["template at load", "tokenizer at load"] as const)(
    "a load ends by itself, and another model answers: %s",
    async (kind) => {
      const session = { ...nodeSessionOptions({ cacheFolder: null }), promptDeadlineMs: 1_500 };
      const impatient = await createEngine({ session });
      const loading = impatient.models.load(await modelOf(endlessFolder(kind)));
      await expect(loading).rejects.toThrow("tokenizer and chat template were not ready within 3 s");
      await impatient.models.load(await modelOf(bundledModel));
      const request = { model: "stories260k", messages, max_tokens: 12, temperature: 0 };
      const { choices } = await impatient.chat.completions.create(request);
      expect(choices[0]?.message.content).toBe(story);
      impatient.dispose();
    },
  );

  test("the text that came before a pass that never ends is kept", async () => {
    const reference = await modelOf(endlessFolder("graph in a pass"));
    await engine.models.load(reference);
    const stopped = new AbortController();
    const stream = await engine.chat.completions.create(
      { model: reference.id, messages, max_tokens: 400, temperature: 0, stream: true },
      { signal: stopped.signal },
    );
    let text = "";
    const read = (async () => {
      for await (const { choices } of stream) text += choices[0]?.delta.content ?? "";
    })();
    read.catch(() => undefined);
    await vi.waitFor(() => expect(text).toMatch(/^, there was a/), 60_000);
    await threads.untilEndless("graph in a pass");
    stopped.abort();
    await read.catch(() => undefined);
    const [request] = engine.requests.list();
    const { records } = await engine.requests.trace(request?.id ?? "");
    expect(records.some(({ type }) => type === "added")).toBe(true);
    engine.models.unload(reference.id);
  });
});

const cheap = ["--max-tokens", "12", "--temperature", "0"];

describe("on the command line, Ctrl-C", () => {
  test.each([...endlessAtLoad, ...endlessAtPrompt])(
    "ends `run`, and the next one works: %s",
    async (kind) => {
      const controller = new AbortController();
      const words = ["run", "--prompt", prompt, "--no-link", "--temperature", "0"];
      const ran = runMidtoken([...words, "--model", endlessFolder(kind), "--max-tokens", "400"], {
        signal: controller.signal,
      });
      await threads.untilEndless(kind);
      controller.abort(new DOMException("Stopped by Ctrl-C.", "AbortError"));
      const { code, told, out } = await ran;
      expect([code, told]).toEqual([130, "midtoken: Stopped by Ctrl-C.\n"]);
      // What the model has said so far is written.
      expect(out.trim()).toMatch(kind === "graph in a pass" ? /^, there was a/ : /^$/);
      const next = await runMidtoken([...words, ...cheap, "--model", bundledModel]);
      expect(next).toMatchObject({ code: 0, out: `${story}\n` });
    },
  );

  test.each(endlessAtLoad)("ends `serve` while it loads a model: %s", async (kind) => {
    const port = await freePort();
    const serving = serve(["--model", endlessFolder(kind), "--port", String(port)]);
    await threads.untilEndless(kind);
    // The server answers while its model is in endless work.
    const health = await fetch(`http://127.0.0.1:${port}/health`);
    expect(await health.json()).toMatchObject({ status: "loading", alive: true });
    serving.stop();
    expect(await serving.ended).toMatchObject({
      code: 130,
      told: expect.stringContaining("Stopped by a signal.") as string,
    });
    const next = serve(["--model", bundledModel, "--port", String(port)]);
    await expect(answerOf(await next.address, "stories260k")).resolves.toBe(story);
    next.stop();
    expect((await next.ended).code).toBe(0);
  });

  test.each(endlessAtPrompt)("ends `serve`, which answers others meanwhile: %s", async (kind) => {
    const serving = serve(["--model", endlessFolder(kind), "--model", bundledModel, "--port", "0"]);
    const address = await serving.address;
    const endless = kind.replaceAll(" ", "-");
    const leaving = new AbortController();
    const left = answerOf(address, endless, 400, leaving.signal);
    left.catch(() => undefined);
    await threads.untilEndless(kind);
    // The server answers while a model of it is in endless work.
    expect((await fetch(`${address}/models`)).status).toBe(200);
    const health = await fetch(new URL("/health", address));
    expect(await health.json()).toMatchObject({ status: "ok", ready: true });
    await expect(answerOf(address, "stories260k")).resolves.toBe(story);
    leaving.abort();
    await expect(left).rejects.toMatchObject({ name: "AbortError" });
    const stays = answerOf(address, endless, 400);
    stays.catch(() => undefined);
    await threads.untilEndless(kind);
    await expect(answerOf(address, "stories260k")).resolves.toBe(story);
    serving.stop();
    expect((await serving.ended).code).toBe(0);
  });
});

function serve(words: readonly string[]) {
  const controller = new AbortController();
  let found: (address: string) => void = () => undefined;
  const address = new Promise<string>((resolve) => {
    found = resolve;
  });
  const options: RunOptions = {
    signal: controller.signal,
    onWrite: (text) => found(/http\S+/.exec(text)?.[0] ?? ""),
  };
  const ended = runMidtoken(["serve", ...words], options);
  const stop = () => controller.abort(new DOMException("Stopped by a signal.", "AbortError"));
  return { address, ended, stop };
}

async function answerOf(address: string, model: string, maxTokens = 12, signal?: AbortSignal) {
  const response = await fetch(`${address}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model, messages, max_tokens: maxTokens, temperature: 0 }),
    ...(signal && { signal }),
  });
  const { choices } = (await response.json()) as { choices?: { message: { content: string } }[] };
  return choices?.[0]?.message.content;
}

/** Free a moment ago: the address of a server that loads is told only once it has loaded. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
