/** Model files where they are used: in a worker, with the browser's own cache and network. */
import { browserCache } from "../../src/engine/cache.ts";
import { readDescription, readGraph } from "../../src/engine/files.ts";
import { loadModel } from "../../src/engine/load-model.ts";
import { urlSource } from "../../src/engine/model-source.ts";
import { greedy } from "../../src/engine/testing/greedy.ts";

export type Command =
  | { readonly type: "read"; readonly url: string; readonly cancelAtBytes?: number }
  | { readonly type: "tell"; readonly url: string; readonly text: string; readonly tokens: number }
  | { readonly type: "kept" };

export type Outcome = { readonly result: unknown } | { readonly error: string };

async function run(command: Command): Promise<unknown> {
  const cache = browserCache();
  if (!cache) throw new Error("There is no cache in this worker.");
  switch (command.type) {
    case "read":
      return read(command.url, command.cancelAtBytes ?? Number.POSITIVE_INFINITY);
    case "tell": {
      const reference = {
        id: "told",
        url: command.url,
        revision: null,
        dtype: { webgpu: "fp32", wasm: "fp32" },
      };
      const { model, tokenizer, formatPrompt, info } = await loadModel(reference, "wasm");
      const tokens = await greedy(
        model,
        formatPrompt([{ role: "user", content: command.text }]),
        command.tokens,
      );
      await model.dispose();
      return { text: tokenizer.decode(tokens), info };
    }
    case "kept":
      return keptFiles();
  }
}

/** Every file that the browser's caches hold, with its bytes. */
async function keptFiles(): Promise<Record<string, number>> {
  const kept: Record<string, number> = {};
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    for (const request of await cache.keys()) {
      const response = await cache.match(request);
      kept[request.url] = (await response?.arrayBuffer())?.byteLength ?? 0;
    }
  }
  return kept;
}

async function read(url: string, cancelAtBytes: number) {
  const notices: string[] = [];
  const cached = new Set<string>();
  const controller = new AbortController();
  const reading = {
    signal: controller.signal,
    onProgress: (progress: { file: string; fromCache: boolean; loadedBytes: number }) => {
      if (progress.fromCache) cached.add(progress.file);
      if (progress.loadedBytes >= cancelAtBytes) controller.abort();
    },
  };
  const source = urlSource(url, { onNotice: (notice) => notices.push(notice), retryDelayMs: 10 });
  await readDescription(source, reading);
  const { graph } = await readGraph(source, "fp32", reading);
  const digest = await crypto.subtle.digest("SHA-256", graph);
  const sha256 = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return { sha256, cached: [...cached].sort(), notices };
}

self.onmessage = async ({ data }: MessageEvent<Command>) => {
  const outcome: Outcome = await run(data).then(
    (result) => ({ result }),
    (error: unknown) => ({
      error: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    }),
  );
  self.postMessage(outcome);
};
