/** The page of the sections on downloads: opens files in a worker, and says what is kept. */

import type { CatalogEntry } from "../../../src/runtime/engine/choose/catalog.ts";
import { openBrowserModelStore } from "../../../src/runtime/engine/storage/browser-store.ts";
import type { CachedModel } from "../../../src/runtime/engine/storage/model-store.ts";
import { cacheModel, removeCachedModel } from "../../../src/runtime/session/page-side/cached-models.ts";
import type { OpenCommand, Opened } from "./store-worker.ts";

interface StoreBench {
  open(command: Omit<OpenCommand, "id">): Promise<Opened>;
  kept(): Promise<readonly CachedModel[]>;
  /** As "Keep" of the page's dialog. @returns the error's message; null if it was kept. */
  keep(url: string): Promise<string | null>;
  remove(url: string): Promise<void>;
}

declare global {
  interface Window {
    storeBench: StoreBench;
  }
}

const worker = new Worker(new URL("./store-worker.ts", import.meta.url), { type: "module" });
const waiting = new Map<number, (opened: Opened) => void>();
worker.onmessage = ({ data }: MessageEvent<Opened>) => {
  waiting.get(data.id)?.(data);
  waiting.delete(data.id);
};
let asked = 0;

window.storeBench = {
  open(command) {
    asked += 1;
    const id = asked;
    return new Promise((resolve) => {
      waiting.set(id, resolve);
      worker.postMessage({ ...command, id } satisfies OpenCommand);
    });
  },
  kept: async () => (await (await openBrowserModelStore())?.list()) ?? [],
  remove: (url) => removeCachedModel(url),
  async keep(url) {
    const { signal } = new AbortController();
    try {
      await cacheModel(entryOf(url), { signal, onProgress: () => undefined });
      return null;
    } catch (cause) {
      return cause instanceof Error ? cause.message : String(cause);
    }
  },
};

/** A model with one set of weights, of which no more is known. */
function entryOf(url: string): CatalogEntry {
  return {
    title: "made up",
    description: "",
    suggestedPrompt: "",
    licence: "",
    tier: null,
    hub: null,
    origin: "hub",
    contextLength: 0,
    parameters: null,
    architecture: null,
    chatTemplate: null,
    weights: [],
    needs: [],
    float16Overflows: false,
    downloadBytes: 0,
    measured: false,
    reference: { id: "bench/model", url, revision: null, dtype: { webgpu: "fp32", wasm: "fp32" } },
  };
}
