/** Stop, Ctrl-C and SIGTERM in work that never ends: template, tokenizer and graph, at load, at the prompt and in a pass. The next request works. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type EndlessKind, endlessModel } from "../../runtime/engine/testing/endless-models.ts";
import type { MidtokenEngine } from "../api/midtoken-engine.ts";
import { createNodeEngine } from "./create-node-engine.ts";
import { modelOf } from "./model-of.ts";
import { bundledModel, runMidtoken } from "./testing/test-terminal.ts";

const folder = mkdtempSync(join(tmpdir(), "midtoken-endless-"));
afterAll(() => rmSync(folder, { recursive: true }));

function endlessFolder(kind: EndlessKind): string {
  const root = join(folder, kind.replaceAll(" ", "-"));
  for (const [path, bytes] of endlessModel(kind)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), bytes);
  }
  return root;
}

const messages = [{ role: "user", content: "Once upon a time" }] as const;
/** So long a thread may be in its endless work before it is stopped; long enough for the work to have begun. */
const inWork = () => new Promise((resolve) => setTimeout(resolve, 1_500));

const atLoad = ["template at load", "tokenizer at load", "graph at load"] as const;
const atPrompt = ["template at the prompt", "tokenizer at the prompt", "graph in a pass"] as const;

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
    expect(choices[0]?.message.content).toBe(", there was a little girl named Lily. She");
  }

  test.each(atLoad)("a load is cancelled, and another model answers: %s", async (kind) => {
    const controller = new AbortController();
    const reference = await modelOf(endlessFolder(kind));
    const loading = engine.models.load(reference, { signal: controller.signal });
    loading.catch(() => undefined);
    await inWork();
    controller.abort();
    await expect(loading).rejects.toMatchObject({ name: "AbortError" });
    await works("stories260k");
  });

  test.each(atPrompt)("a request is stopped, and the model is loaded again: %s", async (kind) => {
    const reference = await modelOf(endlessFolder(kind));
    await engine.models.load(reference);
    const controller = new AbortController();
    const stopped = answer(reference.id, 400, controller.signal);
    stopped.catch(() => undefined);
    await inWork();
    await works("stories260k");
    controller.abort();
    await expect(stopped).rejects.toMatchObject({ name: "AbortError" });
    await works("stories260k");
    const again = new AbortController();
    const second = answer(reference.id, 400, again.signal);
    second.catch(() => undefined);
    await inWork();
    again.abort();
    await expect(second).rejects.toMatchObject({ name: "AbortError" });
    engine.models.unload(reference.id);
  });

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
    await inWork();
    stopped.abort();
    await read.catch(() => undefined);
    const [request] = engine.requests.list();
    const { records } = await engine.requests.trace(request?.id ?? "");
    expect(records.some(({ type }) => type === "added")).toBe(true);
    engine.models.unload(reference.id);
  });
});

describe("on the command line, Ctrl-C", () => {
  test.each([...atLoad, ...atPrompt])("ends `run`: %s", async (kind) => {
    const controller = new AbortController();
    const words = ["run", "--model", endlessFolder(kind), "--prompt", "Once upon a time", "--no-link"];
    const ran = runMidtoken([...words, "--max-tokens", "400", "--temperature", "0"], {
      signal: controller.signal,
    });
    await inWork();
    controller.abort(new DOMException("Stopped by Ctrl-C.", "AbortError"));
    expect(await ran).toMatchObject({
      code: 130,
      told: expect.stringContaining("Stopped by Ctrl-C.") as string,
    });
  });

  test.each(atPrompt)("ends `serve`, which answers others meanwhile: %s", async (kind) => {
    const controller = new AbortController();
    let address = "";
    const words = ["serve", "--model", endlessFolder(kind), "--model", bundledModel, "--port", "0"];
    const ran = runMidtoken(words, {
      signal: controller.signal,
      onWrite: (text) => {
        address ||= /http\S+/.exec(text)?.[0] ?? "";
      },
    });
    while (address === "") await new Promise((resolve) => setTimeout(resolve, 20));
    const ask = (path: string, body?: object, signal?: AbortSignal) =>
      fetch(`${address}${path}`, {
        ...(body && { method: "POST", body: JSON.stringify(body) }),
        ...(signal && { signal }),
        headers: { "content-type": "application/json" },
      });
    const { data } = (await (await ask("/models")).json()) as { data: { id: string }[] };
    const endless = data.map(({ id }) => id).find((id) => id !== "stories260k");
    const leaving = new AbortController();
    const left = ask("/chat/completions", { model: endless, messages, max_tokens: 400 }, leaving.signal);
    left.catch(() => undefined);
    await inWork();
    // The server answers while a model of it is in endless work.
    expect((await ask("/models")).status).toBe(200);
    const body = { model: "stories260k", messages, max_tokens: 3, temperature: 0 };
    expect((await ask("/chat/completions", body)).status).toBe(200);
    leaving.abort();
    await expect(left).rejects.toMatchObject({ name: "AbortError" });
    const stays = ask("/chat/completions", { model: endless, messages, max_tokens: 400 });
    stays.catch(() => undefined);
    await inWork();
    controller.abort(new DOMException("Stopped by a signal.", "AbortError"));
    expect((await ran).code).toBe(0);
  });
});
