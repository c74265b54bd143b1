import { expect, test } from "vitest";
import { filesForWeights, weightsAmong } from "./list-weights.ts";

const files = [
  ["config.json", 500],
  ["onnx/model.onnx", 10],
  ["onnx/model.onnx_data", 1000],
  ["onnx/model.onnx_data_1", 500],
  ["onnx/model_q4f16.onnx", 70],
  ["onnx/model_q4.onnx", 7],
  ["onnx/model_q4.onnx.data", 3],
  ["onnx/model_quantized.onnx", 9],
  ["onnx/model_fp16.onnx_data", 9],
  ["onnx/decoder_model_merged_q4.onnx", 8],
  ["onnx/vision_encoder.onnx", 8],
  ["onnx/model_q4_gpu.onnx", 8],
  ["onnx/old/model_int8.onnx", 8],
  ["model_uint8.onnx", 8],
].map(([path, bytes]) => ({ path: String(path), bytes: Number(bytes) }));

test("weights are told by the name of their graph, with the data beside it", () => {
  expect(weightsAmong(files).weights).toEqual([
    { dtype: "fp32", bytes: 1510 },
    { dtype: "q8", bytes: 9 },
    { dtype: "q4", bytes: 10 },
    { dtype: "q4f16", bytes: 70 },
  ]);
});

test("a size that is not known leaves the sum unknown", () => {
  const unsaid = files.map((file) => ({ ...file, bytes: file.path.endsWith("_data_1") ? null : file.bytes }));
  expect(weightsAmong(unsaid).weights[0]).toEqual({ dtype: "fp32", bytes: null });
});

test("other graphs are refused, each with its reason", () => {
  expect(weightsAmong(files).refused).toEqual([
    { path: "onnx/decoder_model_merged_q4.onnx", reason: expect.stringContaining("several graphs") },
    { path: "onnx/vision_encoder.onnx", reason: expect.stringContaining("images or sound") },
    { path: "onnx/model_q4_gpu.onnx", reason: expect.stringContaining("does not say which weights") },
  ]);
});

test("nothing is in an empty folder", () => {
  expect(weightsAmong([])).toEqual({ weights: [], refused: [] });
});

test("what is fetched for weights is theirs, and what belongs to no graph", () => {
  const wanted = filesForWeights([...files, { path: "onnx/shared.bin", bytes: 4 }], ["q4", "q8"]);
  expect(wanted.map(({ path }) => path)).toEqual([
    "config.json",
    "onnx/model_q4.onnx",
    "onnx/model_q4.onnx.data",
    "onnx/model_quantized.onnx",
    "model_uint8.onnx",
    "onnx/shared.bin",
  ]);
});

const inParts = [
  ["onnx/decoder_model_merged_q4.onnx", 8],
  ["onnx/decoder_model_merged_q4.onnx_data", 800],
  ["onnx/decoder_model_merged_q4f16.onnx", 5],
  ["onnx/embed_tokens_quantized.onnx", 30],
  ["onnx/embed_tokens_fp16.onnx", 20],
  ["onnx/vision_encoder_q4.onnx", 9],
].map(([path, bytes]) => ({ path: String(path), bytes: Number(bytes) }));

test("embeddings and decoder of a model that also reads images are weights together", () => {
  const { weights, refused } = weightsAmong(inParts);
  expect(weights).toEqual([
    { dtype: "q4", bytes: 838 },
    { dtype: "q4f16", bytes: 25 },
  ]);
  expect(refused.map(({ path }) => path)).toEqual(["onnx/vision_encoder_q4.onnx"]);
  const others = ["onnx/vision_encoder_q4.onnx_data", "onnx/audio_encoder.onnx.data"];
  const all = [...inParts, ...others.map((path) => ({ path, bytes: 1 }))];
  const wanted = (...dtypes: string[]) => filesForWeights(all, dtypes).map(({ path }) => path);
  expect(wanted("q4")).toEqual([
    "onnx/decoder_model_merged_q4.onnx",
    "onnx/decoder_model_merged_q4.onnx_data",
    "onnx/embed_tokens_quantized.onnx",
  ]);
  expect(wanted("q4f16")).toEqual(["onnx/decoder_model_merged_q4f16.onnx", "onnx/embed_tokens_fp16.onnx"]);
});

test("a decoder that stands beside an encoder is no weights", () => {
  const translating = [...inParts, { path: "onnx/encoder_model.onnx", bytes: 1 }];
  expect(weightsAmong(translating).weights).toEqual([]);
});
