/** The signal of a load ends the load, and has no part in what happens to the model afterwards. */
import { afterEach, expect, test } from "vitest";
import { createFolderSource } from "../../package/node/folder-source.ts";
import { createHttpExchange } from "../../package/node/http-exchange.ts";
import { fakeStoryServerOptions } from "../../package/node/testing/fake-story.ts";
import { bundledModel } from "../../package/node/testing/test-terminal.ts";
import { type HttpExchange, unreachableError } from "./exchange.ts";
import { loadRemoteModel } from "./load-remote-model.ts";
import { type FakeEngine, startFakeVllm } from "./testing/fake-engines.ts";

let engine: FakeEngine | null = null;
afterEach(async () => {
  await engine?.close();
  engine = null;
});

const reference = {
  id: "stories260k",
  url: "file:///stories260k/",
  revision: null,
  dtype: { webgpu: "fp32", wasm: "fp32" },
};

function load(url: string, exchange: HttpExchange, signal: AbortSignal) {
  return loadRemoteModel(reference, {
    source: createFolderSource(bundledModel),
    access: { url },
    exchange,
    signal,
  });
}

test("a server that failed after the load is used again, though the signal of the load is aborted", async () => {
  engine = await startFakeVllm(await fakeStoryServerOptions());
  const exchange = createHttpExchange();
  let isGone = false;
  const loading = new AbortController();
  const { model, startConversation } = await load(
    engine.url,
    async (request) => {
      if (isGone) throw unreachableError(request.url, null);
      return exchange(request);
    },
    loading.signal,
  );
  loading.abort(new Error("The load is over."));
  isGone = true;
  await expect(model.forwardListed?.([5], 1, 20)).rejects.toThrow(/No server answers/);
  isGone = false;
  expect(await startConversation?.().forwardListed?.([5], 1, 20)).toHaveLength(1);
});

test("a stop ends the wait for the comparison of the tokenizers", async () => {
  engine = await startFakeVllm(await fakeStoryServerOptions());
  const exchange = createHttpExchange();
  const loading = new AbortController();
  const opening = load(
    engine.url,
    (request) => {
      if (!request.url.endsWith("/detokenize")) return exchange(request);
      loading.abort(new Error("stopped"));
      return new Promise((_, reject) => {
        if (request.signal?.aborted) reject(request.signal.reason);
      });
    },
    loading.signal,
  );
  await expect(opening).rejects.toThrow("stopped");
});
