import { expect, test } from "vitest";
import type { CatalogEntry } from "../shared/catalog.ts";
import { createHubCatalogEntry } from "../testing/catalog-entry.ts";
import { filesToCache } from "./files-to-cache.ts";

const address = "https://models.org/what/";

function entry(dtype: CatalogEntry["reference"]["dtype"], files?: CatalogEntry["files"]): CatalogEntry {
  const reference = { id: "what", url: address, revision: null, dtype };
  return createHubCatalogEntry(address, { weights: [], reference, ...(files && { files }) });
}

const both = { webgpu: "q4", wasm: "int8" };
const nobody: typeof fetch = async () => new Response("no", { status: 404 });
const refuses: typeof fetch = async () => Promise.reject(new TypeError("no network"));
const words = (files: Awaited<ReturnType<typeof filesToCache>>) =>
  files.map(({ path, bytes, optional }) => `${path}${optional ? "?" : ""} ${bytes ?? "–"}`);
const listedAs = (files: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(files).map(([path, size]) => [path, { size }]));

test.each([
  ["does not have what loading asks for", nobody],
  ["refuses the question", refuses],
])("a server that %s is asked for the usual names, so that the answer says why", async (_, fetch) => {
  expect(words(await filesToCache(entry(both), null, { address, fetch }))).toEqual([
    ...["config.json –", "tokenizer.json –"],
    ...["generation_config.json? –", "tokenizer_config.json? –", "chat_template.jinja? –"],
    ...["onnx/model_q4.onnx –", "onnx/model_q4.onnx_data? –"],
    ...["onnx/model_int8.onnx –", "onnx/model_int8.onnx_data? –"],
  ]);
});

test("of a hub's folder what is there, with every part of the weights, and nothing of what reads images", async () => {
  const listed = listedAs({
    "config.json": 1,
    "README.md": 9,
    "tokenizer.json": 2,
    "chat_template.jinja": 3,
    "onnx/model_q4.onnx": 4,
    "onnx/model_q4.onnx_data": 5,
    "onnx/model_q4.onnx_data_1": 6,
    "onnx/model_int8.onnx": 7,
    "onnx/model.onnx_data": 99,
    "onnx/vision_encoder_q4.onnx_data": 99,
  });
  expect(words(await filesToCache(entry(both), listed, { address, fetch: refuses }))).toEqual([
    ...["config.json 1", "tokenizer.json 2", "chat_template.jinja? 3"],
    ...["onnx/model_q4.onnx 4", "onnx/model_q4.onnx_data? 5", "onnx/model_q4.onnx_data_1? 6"],
    "onnx/model_int8.onnx 7",
  ]);
});

test("of a model in two graphs both, and what is missing under its name", async () => {
  const listed = listedAs({
    "config.json": 1,
    "tokenizer.json": 2,
    "onnx/decoder_model_merged_q4.onnx": 4,
    "onnx/decoder_model_merged_q4.onnx_data": 5,
    "onnx/embed_tokens_q4.onnx": 6,
    "onnx/embed_tokens.onnx": 7,
  });
  const decoder = ["onnx/decoder_model_merged_q4.onnx 4", "onnx/decoder_model_merged_q4.onnx_data? 5"];
  const one = await filesToCache(entry({ webgpu: "q4", wasm: "q4" }), listed, { address });
  expect(words(one).slice(2)).toEqual([...decoder, "onnx/embed_tokens_q4.onnx 6"]);
  const two = words(await filesToCache(entry(both), listed, { address }));
  expect(two).toContain("onnx/model_int8.onnx –");
});

test("of a folder of this server what it says, with data by other names than the usual", async () => {
  const files = [
    { path: "config.json", bytes: 10 },
    { path: "onnx/model_q4.onnx", bytes: 7 },
    { path: "onnx/weights.bin", bytes: 8 },
  ];
  const found = await filesToCache(entry({ webgpu: "q4", wasm: "q4" }, files), null, { address });
  expect(words(found)).toEqual([
    ...["config.json 10", "tokenizer.json –"],
    ...["generation_config.json? –", "tokenizer_config.json? –", "chat_template.jinja? –"],
    ...["onnx/model_q4.onnx 7", "onnx/weights.bin? 8"],
  ]);
});

test("a question that is cancelled ends with the signal's reason", async () => {
  const signal = AbortSignal.abort(new Error("stopped"));
  await expect(filesToCache(entry(both), null, { address, fetch: nobody, signal })).rejects.toThrow(
    "stopped",
  );
});
