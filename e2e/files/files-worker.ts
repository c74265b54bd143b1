/** Model files where they are used: in a worker, with the browser's own cache and network. */

import { readDescription, readGraph } from "../../src/runtime/engine/files/files.ts";
import { createUrlSource } from "../../src/runtime/engine/files/url-source.ts";
import { loadModel } from "../../src/runtime/engine/load/load-model.ts";
import { openBrowserModelStore } from "../../src/runtime/engine/storage/browser-store.ts";
import { createCacheFileTree } from "../../src/runtime/engine/storage/cache-tree.ts";
import { checkFileTree } from "../../src/runtime/engine/storage/file-tree.conformance.ts";
import { createOpfsFileTree } from "../../src/runtime/engine/storage/opfs-tree.ts";
import { joinBlobs, openCachedFile } from "../../src/runtime/engine/storage/sync-files.ts";
import { generateGreedily } from "../../src/runtime/engine/testing/greedy.ts";

export type Command =
  | { readonly type: "read"; readonly url: string; readonly cancelAtBytes?: number }
  | { readonly type: "tell"; readonly url: string; readonly text: string; readonly tokens: number }
  | { readonly type: "kept" }
  /** Returns the faults of the browser's own folder and of its cache as places for files. */
  | { readonly type: "trees" }
  /** Returns the faults of reading a stored file of several parts by access handles. */
  | { readonly type: "handles" }
  /** Writes more than fits, so many times. The errors' names, each once, and whether nothing is there. */
  | { readonly type: "overfill"; readonly bytes: number; readonly times: number };

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
      const tokens = await generateGreedily(
        model,
        formatPrompt([{ role: "user", content: command.text }]),
        command.tokens,
      );
      await model.dispose();
      return { text: tokenizer.decode(tokens), info };
    }
    case "kept":
      return (await openBrowserModelStore())?.list();
    case "trees":
      return Promise.all([createOpfsFileTree("checked"), createCacheFileTree("checked")].map(checkFileTree));
    case "handles":
      return readByHandles();
    case "overfill":
      return overfill(command.bytes, command.times);
  }
}

async function readByHandles(): Promise<unknown> {
  const tree = createOpfsFileTree("checked");
  const sizes = [1000, 300, 1000, 7];
  const write = (index: number, seed: number) =>
    tree.write(
      `parts/${index}`,
      Uint8Array.from({ length: sizes[index] ?? 0 }, (_, i) => i * 7 + index + seed),
    );
  const files = async () =>
    joinBlobs(
      (await Promise.all(sizes.map((_, i) => tree.read(`parts/${i}`)))).map((file) => file ?? new Blob()),
    );
  await Promise.all(sizes.map((_, i) => write(i, 0)));
  const whole = await files();
  const opened = await openCachedFile(whole);
  const other = await openCachedFile(await files());
  if (!opened || !other) return "a file that is kept could not be opened twice";
  const faults: string[] = [];
  for (let begin = 0; begin <= whole.size; begin += 101) {
    for (const length of [0, 1, 299, 1500, 5000]) {
      const expected = new Uint8Array(await whole.slice(begin, begin + length).arrayBuffer());
      const read = opened.subarray(begin, begin + length);
      if (read.join() !== expected.join()) faults.push(`${length} bytes from ${begin}`);
    }
  }
  opened.close();
  other.close();
  // Closed, it can be written; and what was opened before is no longer what is there.
  await write(1, 1);
  if ((await openCachedFile(whole)) !== null) faults.push("a file that was changed");
  const again = await openCachedFile(await files());
  if (again?.subarray(1000, 1001)[0] !== 2) faults.push("the new file");
  again?.close();
  if ((await openCachedFile(new Blob([whole, "more"]))) !== null) faults.push("a file that is not kept");
  return faults;
}

async function overfill(bytes: number, times: number): Promise<unknown> {
  const tree = createOpfsFileTree("checked");
  const content = new Uint8Array(bytes);
  const names = new Set<unknown>();
  for (let count = 0; count < times; count += 1)
    names.add(await tree.write("full/large", content).catch((cause: DOMException) => cause.name));
  const left = await tree.read("full/large");
  return [[...names], left === null || left.size === 0];
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
  const source = createUrlSource(url, { onNotice: (notice) => notices.push(notice), retryDelayMs: 10 });
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
