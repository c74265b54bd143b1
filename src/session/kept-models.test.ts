import { expect, test } from "vitest";
import type { CatalogEntry } from "./catalog.ts";
import { filesOf, keepModel, keptModels, removeKeptModel } from "./kept-models.ts";
import { memoryCaches } from "./testing/memory-caches.ts";

const url = "https://models.org/who/what/resolve/main/";

function entry(changes: Partial<CatalogEntry> = {}): CatalogEntry {
  return {
    ...{ title: "what", description: "", origin: "hub", hub: "who/what", licence: "MIT", contextLength: 1 },
    ...{ downloadBytes: 100, needs: [], suggestedPrompt: "" },
    ...{ tier: null, parameters: null, architecture: null, chatTemplate: null, measured: true },
    ...{ weights: [{ dtype: "q4", bytes: 100 }], float16Overflows: false },
    reference: { id: "what", url, revision: null, dtype: { webgpu: "q4", wasm: "int8" } },
    ...changes,
  };
}

/** A server with these files, of so many bytes each; what it was asked for. */
function server(files: Readonly<Record<string, number>>) {
  const asked: string[] = [];
  const fetch = async (address: string | URL | Request) => {
    const path = String(address).slice(url.length);
    asked.push(path);
    const bytes = files[path];
    if (bytes === undefined) return new Response("no such file", { status: 404 });
    return new Response(new Uint8Array(bytes), { headers: { "content-length": String(bytes) } });
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

test("what loading may ask for, of a model of the hub and of one whose server says what it has", () => {
  expect(filesOf(entry()).map(({ path, optional }) => (optional ? `${path}?` : path))).toEqual([
    "config.json",
    "tokenizer.json",
    "generation_config.json?",
    "tokenizer_config.json?",
    "chat_template.jinja?",
    "onnx/model_q4.onnx",
    "onnx/model_int8.onnx",
    "onnx/model_q4.onnx_data?",
    "onnx/model_int8.onnx_data?",
  ]);
  const files = [
    { path: "config.json", bytes: 10 },
    { path: "onnx/model_q4.onnx", bytes: 7 },
    { path: "onnx/weights.bin", bytes: 8 },
  ];
  const listed = filesOf(
    entry({ files, reference: { ...entry().reference, dtype: { webgpu: "q4", wasm: "q4" } } }),
  );
  expect(listed.map(({ path, bytes }) => `${path} ${bytes}`)).toEqual([
    "config.json 10",
    "tokenizer.json null",
    "generation_config.json null",
    "tokenizer_config.json null",
    "chat_template.jinja null",
    "onnx/model_q4.onnx 7",
    "onnx/weights.bin 8",
  ]);
});

test("a model is kept whole, as the engine reads it, with its progress; and removed", async () => {
  const storage = memoryCaches();
  const { asked, fetch } = server(whole);
  const seen: [number, number][] = [];
  const onProgress = (done: number, all: number) => seen.push([done, all]);
  await keepModel(entry(), { ...options, storage, fetch, onProgress });
  const bytes = Object.values(whole).reduce((sum, each) => sum + each, 0);
  expect(await keptModels(storage)).toEqual([{ url, bytes, files: 6 }]);
  expect(seen.at(-1)).toEqual([bytes, bytes]);
  expect(seen.every(([done, all], place) => done <= all && done >= (seen[place - 1]?.[0] ?? 0))).toBe(true);
  // What is there is not fetched again; what is optional and was missing is asked for again.
  asked.length = 0;
  await keepModel(entry(), { ...options, storage, fetch });
  expect(asked).toEqual(["generation_config.json", "chat_template.jinja", "onnx/model_q4.onnx_data"]);
  await removeKeptModel("https://models.org/who/", storage);
  expect(await keptModels(storage)).toHaveLength(1);
  await removeKeptModel(url, storage);
  expect(await keptModels(storage)).toEqual([]);
});

test("what fails leaves nothing of its own, and what was there before", async () => {
  const storage = memoryCaches();
  const { "onnx/model_q4.onnx": _, ...broken } = whole;
  await expect(keepModel(entry(), { ...options, storage, fetch: server(broken).fetch })).rejects.toThrow(
    "onnx/model_q4.onnx: the server answered 404.",
  );
  expect(await keptModels(storage)).toEqual([]);
  const { fetch } = server(whole);
  await keepModel(entry({ reference: { ...entry().reference, dtype: { webgpu: "q4", wasm: "q4" } } }), {
    ...options,
    storage,
    fetch,
  });
  const [before] = await keptModels(storage);
  const cut = async (address: string | URL | Request) =>
    String(address).endsWith("_data")
      ? new Response(new Uint8Array(9_000_000), { headers: { "content-length": "9000001" } })
      : fetch(address);
  await expect(keepModel(entry(), { ...options, storage, fetch: cut })).rejects.toThrow(
    "onnx/model_q4.onnx_data came with 9000000 of its 9000001 bytes.",
  );
  expect(await keptModels(storage)).toEqual([before]);
});

test("stopped, it ends with the signal's reason", async () => {
  const storage = memoryCaches();
  const stop = new AbortController();
  const { fetch } = server(whole);
  const kept = keepModel(entry(), {
    ...{ storage, fetch, signal: stop.signal },
    onProgress: (done) => done > 30 && stop.abort(new Error("stopped")),
  });
  await expect(kept).rejects.toThrow("stopped");
  expect(await keptModels(storage)).toEqual([]);
});
