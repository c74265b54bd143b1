/** Model files where they are used: in a worker, with the browser's own cache and network. */
import { readDescription, readGraph } from "../../src/engine/files.ts";
import { loadModel } from "../../src/engine/load-model.ts";
import { urlSource } from "../../src/engine/model-source.ts";
import { browserModelStore } from "../../src/engine/storage/browser-store.ts";
import { cacheTree } from "../../src/engine/storage/cache-tree.ts";
import { checkFileTree } from "../../src/engine/storage/file-tree.conformance.ts";
import { opfsTree } from "../../src/engine/storage/opfs-tree.ts";
import { greedy } from "../../src/engine/testing/greedy.ts";

export type Command =
  | { readonly type: "read"; readonly url: string; readonly cancelAtBytes?: number }
  | { readonly type: "tell"; readonly url: string; readonly text: string; readonly tokens: number }
  | { readonly type: "kept" }
  /** What is wrong with the browser's own folder and with its cache, as places for files. */
  | { readonly type: "trees" }
  /** Writes more than fits. The error's name, and whether nothing is there. */
  | { readonly type: "overfill"; readonly bytes: number };

export type Outcome = { readonly result: unknown } | { readonly error: string };

async function run(command: Command): Promise<unknown> {
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
      return (await browserModelStore())?.list();
    case "trees":
      return Promise.all([opfsTree("checked"), cacheTree("checked")].map(checkFileTree));
    case "overfill":
      return overfill(command.bytes);
  }
}

async function overfill(bytes: number): Promise<unknown> {
  const tree = opfsTree("checked");
  const name = await tree
    .write("full/large", new Uint8Array(bytes))
    .catch((cause: DOMException) => cause.name);
  const left = await tree.read("full/large");
  return [name, left === null || left.size === 0];
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
