import { expect, test } from "vitest";
import { createMemoryModelStore } from "../../engine/storage/testing/memory-store.ts";
import type { CatalogEntry } from "../shared/catalog.ts";
import { createHubCatalogEntry } from "../testing/catalog-entry.ts";
import { cacheModel, listCachedModels, removeCachedModel, repairCachedModel } from "./cached-models.ts";

const url = "https://models.org/who/what/resolve/main/";

const entry = (changes?: Partial<CatalogEntry>) => createHubCatalogEntry(url, changes);

/** A server with these files (size in bytes by path), and a log of requests. */
function server(files: Readonly<Record<string, number>>) {
  const asked: string[] = [];
  const fetch = async (address: string | URL | Request, { method }: RequestInit = {}) => {
    const path = String(address).startsWith(url) ? String(address).slice(url.length) : "";
    if (path !== "" && method !== "HEAD") asked.push(path);
    const bytes = files[path];
    if (bytes === undefined) return new Response("no such file", { status: 404 });
    return new Response(method === "HEAD" ? null : new Uint8Array(bytes), {
      headers: { "content-length": String(bytes) },
    });
  };
  return { asked, fetch };
}

const whole = {
  "config.json": 10,
  "tokenizer.json": 20,
  "tokenizer_config.json": 5,
  "onnx/model_q4.onnx": 1_000,
  "onnx/model_int8.onnx": 2_000,
  "onnx/model_int8.onnx_data": 9_000_000,
};

const options = { signal: new AbortController().signal, onProgress() {} };

test("a model in two graphs is kept whole too, each decoder with the embeddings that it takes", async () => {
  const { store } = createMemoryModelStore();
  const inParts = {
    "config.json": 10,
    "tokenizer.json": 20,
    "onnx/decoder_model_merged_q4.onnx": 100,
    "onnx/decoder_model_merged_q4.onnx_data": 200,
    "onnx/decoder_model_merged_int8.onnx": 300,
    "onnx/embed_tokens_quantized.onnx": 40,
    "onnx/embed_tokens_fp16.onnx": 50,
    "onnx/vision_encoder_q4.onnx": 60,
  };
  const { asked, fetch } = server(inParts);
  await cacheModel(entry(), { ...options, store, fetch });
  expect((await listCachedModels(store))[0]).toMatchObject({ bytes: 670, files: 6, partialFiles: [] });
  expect(asked).not.toContain("onnx/model_q4.onnx");
});

test("a model is kept whole, as the engine reads it, with its progress; and removed", async () => {
  const { store } = createMemoryModelStore();
  const { asked, fetch } = server(whole);
  const seen: [number, number][] = [];
  const onProgress = (done: number, all: number) => seen.push([done, all]);
  await cacheModel(entry(), { ...options, store, fetch, onProgress });
  const bytes = Object.values(whole).reduce((sum, each) => sum + each, 0);
  expect(await listCachedModels(store)).toEqual([
    { url, bytes, files: 6, partialFiles: [], commit: null, newer: null },
  ]);
  expect(seen.at(-1)).toEqual([bytes, bytes]);
  expect(seen.every(([done, all], place) => done <= all && done >= (seen[place - 1]?.[0] ?? 0))).toBe(true);
  // Stored files are not requested again, but optional files that were missing are.
  asked.length = 0;
  await cacheModel(entry(), { ...options, store, fetch });
  expect(asked).toEqual(["generation_config.json", "chat_template.jinja"]);
  await removeCachedModel("https://models.org/who/", store);
  expect(await listCachedModels(store)).toHaveLength(1);
  await removeCachedModel(url, store);
  expect(await listCachedModels(store)).toEqual([]);
});

test("what fails keeps what came, and goes on from there", async () => {
  const { store } = createMemoryModelStore();
  const { "onnx/model_q4.onnx": _, ...broken } = whole;
  await expect(cacheModel(entry(), { ...options, store, fetch: server(broken).fetch })).rejects.toThrow(
    /onnx\/model_q4\.onnx .*\(HTTP 404\)/,
  );
  const { asked, fetch } = server(whole);
  const cut = async (address: string | URL | Request, init?: RequestInit) =>
    String(address).endsWith("_data") && init?.method !== "HEAD"
      ? new Response(new Uint8Array(9_000_000), { headers: { "content-length": "9000001", etag: '"1"' } })
      : fetch(address, init);
  await expect(cacheModel(entry(), { ...options, store, fetch: cut })).rejects.toThrow(
    /onnx_data broke off after 9000000 of 9000001 bytes/,
  );
  expect(asked).not.toContain("config.json");
  expect((await listCachedModels(store))[0]?.partialFiles).toContainEqual(
    expect.objectContaining({ bytes: 9_000_000, size: 9_000_001 }),
  );
});

test("without room a model is not kept, which is said before it comes", async () => {
  const { store } = createMemoryModelStore({ room: async () => 55_000_000 });
  const { fetch } = server(whole);
  await expect(cacheModel(entry(), { ...options, store, fetch })).rejects.toThrow(
    "onnx/model_int8.onnx_data needs 9.0 MB, but the browser's storage has room for only 5.0 MB more. Delete other models",
  );
});

test("stopped, it ends with the signal's reason, and what came stays", async () => {
  const { store } = createMemoryModelStore();
  const stop = new AbortController();
  const { fetch } = server(whole);
  const kept = cacheModel(entry(), {
    store,
    fetch,
    signal: stop.signal,
    onProgress: (done) => done > 30 && stop.abort(new Error("stopped")),
  });
  await expect(kept).rejects.toThrow("stopped");
  expect((await listCachedModels(store))[0]?.bytes).toBeGreaterThan(30);
});

test("what is kept is read through, with its progress; what is damaged of it is fetched again", async () => {
  const { fetch, asked } = server(whole);
  const { store, tree } = createMemoryModelStore();
  await cacheModel(entry(), { ...options, store, fetch });
  const [model] = await listCachedModels(store);
  const caughtUp: (readonly [number, number])[] = [];
  const onProgress = (done: number, all: number) => void caughtUp.push([done, all]);
  expect(await repairCachedModel(url, { ...options, store, fetch, onProgress })).toEqual([]);
  expect(caughtUp.at(-1)).toEqual([model?.bytes, model?.bytes]);
  // One report for each block: the longest file has two blocks.
  expect(caughtUp).toHaveLength(7);
  expect(caughtUp.map(([done]) => done)).toEqual(caughtUp.map(([done]) => done).sort((a, b) => a - b));
  const block = [...tree.files].find(([, bytes]) => bytes.length === 2000)?.[1];
  block?.fill(1);
  asked.length = 0;
  // This server does not send parts of files, so the damaged file is removed and must be downloaded whole.
  expect(await repairCachedModel(url, { ...options, store, fetch })).toEqual(["onnx/model_int8.onnx"]);
  expect(asked).toEqual(["onnx/model_int8.onnx"]);
});
