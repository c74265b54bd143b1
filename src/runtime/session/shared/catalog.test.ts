import { expect, test } from "vitest";
import type { DeviceMetadata } from "../../engine/choose/choose-weights.ts";
import { type CatalogEntry, parseLocalModels, withWeightsForDevice } from "./catalog.ts";

const page = "http://localhost:4173/sub/";
const entry = {
  id: "tiny",
  url: "local-models/tiny/",
  revision: null,
  weights: [
    { dtype: "fp32", bytes: 900e6 },
    { dtype: "q4", bytes: 90e6 },
    { dtype: "q4f16", bytes: 70e6 },
  ],
  config: {
    model_type: "gemma3_text",
    vocab_size: 2048,
    hidden_size: 64,
    num_hidden_layers: 6,
    num_attention_heads: 4,
    num_key_value_heads: 1,
  },
  files: [
    { path: "config.json", bytes: 5 },
    { path: "onnx/model.onnx", bytes: 900e6 },
    { path: "onnx/model_q4.onnx", bytes: 90e6 },
    { path: "onnx/model_q4f16.onnx", bytes: 70e6 },
  ],
};

test("a folder of the server becomes an entry with an absolute address and what config.json says", () => {
  expect(parseLocalModels([entry], page)).toMatchObject([
    {
      title: "tiny",
      origin: "folder",
      reference: {
        url: "http://localhost:4173/sub/local-models/tiny/",
        dtype: { webgpu: "auto", wasm: "auto" },
      },
      weights: entry.weights,
      architecture: { attentionLayers: 6, headSize: 16 },
      float16Overflows: true,
    },
  ]);
});

test.each([
  ["not a list", {}],
  ["an entry that is none", [null]],
  ["no id", [{ ...entry, id: undefined }]],
  ["no weights", [{ ...entry, weights: [] }]],
  ["an unknown dtype", [{ ...entry, weights: [{ dtype: "q17", bytes: 1 }] }]],
  ["weights without a size", [{ ...entry, weights: [{ dtype: "q4" }] }]],
])("%s is refused", (_, json) => {
  expect(() => parseLocalModels(json, page)).toThrow("local-models.json");
});

const noGpu: DeviceMetadata = { webgpu: null, withoutWebGpu: "There is none.", memoryBytes: null };
const gpu: DeviceMetadata = {
  webgpu: { name: "x", float16: true, isSoftware: false, maxBufferBytes: 2 ** 32, maxBindingBytes: 2 ** 32 },
  withoutWebGpu: "",
  memoryBytes: null,
};

test.each<[string, DeviceMetadata, CatalogEntry["reference"]["dtype"], number, unknown?]>([
  ["with a GPU", gpu, { webgpu: "q4", wasm: "q4" }, 90e6],
  ["without", noGpu, { webgpu: "q4", wasm: "q4" }, 90e6],
  [
    "with a GPU and no such family",
    gpu,
    { webgpu: "q4f16", wasm: "q4" },
    70e6,
    { ...entry, config: { ...entry.config, model_type: "llama" } },
  ],
])("weights and files are those of this device: %s", (_, device, dtype, bytes, from = entry) => {
  const [listed] = parseLocalModels([from], page);
  if (!listed) throw new Error("The entry is there.");
  const { reference, downloadBytes, files } = withWeightsForDevice(listed, device);
  expect([reference.dtype, downloadBytes]).toEqual([dtype, bytes]);
  const paths = [
    ...new Set(["onnx/model_q4.onnx", ...(dtype.webgpu === "q4f16" ? ["onnx/model_q4f16.onnx"] : [])]),
  ];
  expect(files?.map(({ path }) => path)).toEqual(["config.json", ...paths]);
});

test("a size that is not known is not taken from other weights", () => {
  const [listed] = parseLocalModels([entry], page);
  if (!listed) throw new Error("The entry is there.");
  const weights = [
    { dtype: "q4f16", bytes: 7 },
    { dtype: "q4", bytes: null },
  ] as const;
  expect(withWeightsForDevice({ ...listed, weights, downloadBytes: 7 }, noGpu).downloadBytes).toBe(0);
});

test("what a list fixes stays", () => {
  const [listed] = parseLocalModels([entry], page);
  if (!listed) throw new Error("The entry is there.");
  const fixed = { ...listed, reference: { ...listed.reference, dtype: { webgpu: "fp32", wasm: "fp32" } } };
  expect(withWeightsForDevice(fixed, gpu)).toMatchObject({
    reference: fixed.reference,
    downloadBytes: 900e6,
  });
});
