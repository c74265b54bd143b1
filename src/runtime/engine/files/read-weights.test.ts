import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ModelReference } from "../base/model-reference.ts";
import { loadModel } from "../load/load-model.ts";
import { generateGreedily } from "../testing/greedy.ts";
import { type ModelHub, startModelHub } from "../testing/model-hub.ts";
import { splitEmbedding } from "../transformers/testing/split-embedding.ts";

const folder = join(import.meta.dirname, "../../../../public/models/stories260k");
const read = (file: string) => new Uint8Array(readFileSync(join(folder, file)));

let hub: ModelHub;
let reference: ModelReference;
beforeAll(async () => {
  hub = await startModelHub({ "midtoken/stories260k": "public/models/stories260k" });
  const config = JSON.parse(new TextDecoder().decode(read("config.json"))) as Record<string, unknown>;
  const { eos_token_id, max_position_embeddings } = config;
  hub.write(
    "config.json",
    JSON.stringify({
      model_type: "gemma3n",
      architectures: ["Gemma3nForConditionalGeneration"],
      eos_token_id,
      max_position_embeddings,
      text_config: config,
    }),
  );
  for (const file of ["tokenizer.json", "tokenizer_config.json", "generation_config.json"])
    hub.write(file, read(file));
  const { embedTokens, decoder } = splitEmbedding(read("onnx/model.onnx"), 64);
  hub.write("onnx/decoder_model_merged.onnx", decoder);
  hub.write("onnx/embed_tokens_quantized.onnx", embedTokens);
  reference = { id: "test/model", url: hub.url(), revision: null, dtype: { webgpu: "fp32", wasm: "fp32" } };
});
afterAll(() => hub.close());

test("a model whose embeddings lie apart, in another dtype, is loaded and says the same as the whole", async () => {
  const parts = await loadModel(reference, "wasm");
  const whole = await loadModel({ ...reference, url: hub.url("midtoken/stories260k") }, "wasm");
  expect(parts.info.file).toBe("onnx/decoder_model_merged.onnx");
  expect(parts.info.reason).toContain("because its embeddings are a separate graph");
  expect(parts.info.bytes).toBeGreaterThan(whole.info.bytes * 0.9);
  const prompt = whole.formatPrompt([{ role: "user", content: "Once upon a time" }]);
  expect(await generateGreedily(parts.model, prompt, 20)).toEqual(
    await generateGreedily(whole.model, prompt, 20),
  );
  await Promise.all([parts.model.dispose(), whole.model.dispose()]);
});

test("a dtype that the model does not have is said, and so is a decoder without embeddings", async () => {
  const inQ4 = { ...reference, dtype: { webgpu: "q4", wasm: "q4" } };
  await expect(loadModel(inQ4, "wasm")).rejects.toThrow("the model has no q4 file");
  hub.write("onnx/decoder_model_merged_fp16.onnx", read("onnx/model.onnx"));
  const inFloat16 = { ...reference, dtype: { webgpu: "fp16", wasm: "fp16" } };
  await expect(loadModel(inFloat16, "wasm")).rejects.toThrow(
    "onnx/decoder_model_merged_fp16.onnx is there, but embed_tokens.onnx is missing",
  );
});
