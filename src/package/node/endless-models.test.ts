/** Stop during work that never ends, in an engine: template, tokenizer and graph, at load, at the prompt and in a pass. The next request works. */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { endlessAtLoad, endlessAtPrompt } from "../../runtime/engine/testing/endless-models.ts";
import { createEngine } from "../api/create-engine.ts";
import type { MidtokenEngine } from "../api/midtoken-engine.ts";
import { createNodeEngine } from "./create-node-engine.ts";
import { modelOf } from "./model-of.ts";
import { nodeSessionOptions } from "./node-session.ts";
import { makeHangingModelFolders, messages, storyOutput } from "./testing/endless-folders.ts";
import { EngineThreadObserver } from "./testing/engine-threads.ts";
import { bundledModel } from "./testing/test-terminal.ts";

const folders = makeHangingModelFolders();
const threads = new EngineThreadObserver();
afterAll(() => {
  threads.stop();
  folders.remove();
});

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
    expect(choices[0]?.message.content).toBe(storyOutput);
  }

  test.each(endlessAtLoad)("a load is cancelled, and another model answers: %s", async (kind) => {
    const controller = new AbortController();
    const reference = await modelOf(folders.of(kind));
    const loading = engine.models.load(reference, { signal: controller.signal });
    loading.catch(() => undefined);
    await threads.untilEndless(kind);
    controller.abort();
    await expect(loading).rejects.toMatchObject({ name: "AbortError" });
    await works("stories260k");
  });

  test.each(endlessAtPrompt)("a request is stopped, and the model is loaded again: %s", async (kind) => {
    const reference = await modelOf(folders.of(kind));
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
      const session = { ...nodeSessionOptions({ cacheFolder: null }), promptDeadlineMs: 750 };
      const impatient = await createEngine({ session });
      const loading = impatient.models.load(await modelOf(folders.of(kind)));
      await expect(loading).rejects.toThrow("tokenizer and chat template were not ready within 1.5 s");
      await impatient.models.load(await modelOf(bundledModel));
      const request = { model: "stories260k", messages, max_tokens: 12, temperature: 0 };
      const { choices } = await impatient.chat.completions.create(request);
      expect(choices[0]?.message.content).toBe(storyOutput);
      impatient.dispose();
    },
  );

  test("the text that came before a pass that never ends is kept", async () => {
    const reference = await modelOf(folders.of("graph in a pass"));
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
