import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { loadModel } from "../load/load-model.ts";
import { createFilesSource } from "./files-source.ts";

const picked = (...paths: string[]) =>
  new Map(paths.map((path) => [path, new Blob([readFileSync(`public/models/stories260k/${path}`)])]));
const reference = {
  id: "mine",
  url: "picked-folder:/mine/",
  revision: null,
  dtype: { webgpu: "auto", wasm: "auto" },
};
const options = { kind: "binary", maxBytes: 1e9 } as const;

test("a model is loaded from picked files, with the weights that are among them", async () => {
  const files = picked("config.json", "tokenizer.json", "tokenizer_config.json", "onnx/model_q4.onnx");
  const { model, info } = await loadModel(reference, "wasm", { source: createFilesSource("mine", files) });
  expect(info.file).toBe("onnx/model_q4.onnx");
  await model.dispose();
});

test("a file that is not there is named, with the folder", async () => {
  const loading = loadModel(reference, "wasm", { source: createFilesSource("mine", picked("config.json")) });
  await expect(loading).rejects.toThrow("tokenizer.json is not in the folder mine.");
});

test("a file that was changed meanwhile is said", async () => {
  const gone = { size: 5, arrayBuffer: () => Promise.reject(new DOMException("", "NotReadableError")) };
  const source = createFilesSource("mine", new Map([["a", gone as unknown as Blob]]));
  await expect(source.read("a", options)).rejects.toThrow("a in the folder mine cannot be read: the file");
  await expect(source.read("a", { ...options, maxBytes: 4 })).rejects.toThrow(
    "a is 5 B, but the limit for such a file is 4 B",
  );
});

test("cancelled, nothing is read", async () => {
  const signal = AbortSignal.abort(new Error("Enough."));
  const source = createFilesSource("mine", picked("config.json"));
  await expect(source.open("config.json", { ...options, signal })).rejects.toThrow("Enough.");
  expect(await source.list()).toEqual([{ path: "config.json", bytes: 551 }]);
});
