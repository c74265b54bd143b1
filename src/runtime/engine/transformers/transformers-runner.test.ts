import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { largestDifference } from "../../../core/decoder/ports/language-model.compare.ts";
import { languageModelConformance } from "../../../core/decoder/ports/language-model.conformance.ts";
import { createDecoderModel } from "../graph/decoder-model.ts";
import { openThroughLibrary, type WholeGraph } from "./testing/open-through-library.ts";
import { splitEmbedding } from "./testing/split-embedding.ts";
import { createTransformersRunner } from "./transformers-runner.ts";
import { createWasmTensorRuntime } from "./wasm-tensors.ts";

const folder = join(import.meta.dirname, "../../../../public/models/stories260k");
const bundled: WholeGraph = {
  graph: new Uint8Array(readFileSync(join(folder, "onnx/model.onnx"))),
  externalData: new Map(),
  config: JSON.parse(readFileSync(join(folder, "config.json"), "utf8")),
  file: "onnx/model.onnx",
};

describe("the bundled model through @huggingface/transformers, on WebAssembly", () => {
  for (const { name, run } of languageModelConformance("", () => openThroughLibrary(bundled), {
    tolerance: 1e-4,
  })) {
    test(name, run);
  }
});

/** As in exports of models that also read images. */
describe("a model whose embeddings are a graph of their own, on WebAssembly", () => {
  const { embedTokens, decoder } = splitEmbedding(bundled.graph, 64);
  const graphs = [
    { name: "embed_tokens", graph: embedTokens, externalData: new Map() },
    { name: "decoder_model_merged", graph: decoder, externalData: new Map() },
  ];
  const families = {
    smolvlm: "SmolVLMForConditionalGeneration",
    gemma3: "Gemma3ForConditionalGeneration",
    gemma3n: "Gemma3nForConditionalGeneration",
    qwen3_5: "Qwen3_5ForConditionalGeneration",
  };
  test.each(Object.entries(families))("%s computes what the whole graph does", async (type, architecture) => {
    const config = {
      model_type: type,
      architectures: [architecture],
      text_config: { ...bundled.config, model_type: `${type}_text` },
      vision_config: {},
    };
    const whole = await openThroughLibrary(bundled);
    const runner = await createTransformersRunner(
      { graphs, config, file: "" },
      await createWasmTensorRuntime(),
    );
    const parts = createDecoderModel(runner, { endOfSequence: [2] });
    for (const tokens of [[1, 403, 407, 261, 378], [33]]) {
      expect(await parts.forward(tokens)).toEqual(await whole.forward(tokens));
    }
    parts.truncate(3);
    whole.truncate(3);
    expect(largestDifference(await parts.forward([7, 8]), await whole.forward([7, 8]))).toBeLessThan(1e-4);
    await Promise.all([parts.dispose(), whole.dispose()]);
  });
});
