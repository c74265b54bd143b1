import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { largestDifference } from "../../../core/decoder/ports/language-model.compare.ts";
import { languageModelConformance } from "../../../core/decoder/ports/language-model.conformance.ts";
import type { LanguageModel } from "../../../core/decoder/ports/language-model.ts";
import { createDecoderModel } from "../graph/decoder-model.ts";
import { exportedGraphs } from "../testing/exported-models.ts";
import { readExpectedOutput, readGraph } from "../testing/graph-folder.ts";
import { firstTokenDifference } from "../testing/greedy.ts";
import { splitEmbedding } from "./testing/split-embedding.ts";
import { createTransformersRunner } from "./transformers-runner.ts";
import { createWasmTensorRuntime } from "./wasm-tensors.ts";

interface Files {
  readonly graph: Uint8Array;
  readonly externalData: ReadonlyMap<string, Uint8Array>;
  readonly config: Readonly<Record<string, unknown>>;
  readonly file: string;
}

/** A short context, so that filling it takes a few passes. */
async function open(
  { graph, externalData, config, file }: Files,
  contextLength = 200,
): Promise<LanguageModel> {
  const graphs = [{ name: "model", graph, externalData }];
  const options = { graphs, config: { ...config, max_position_embeddings: contextLength }, file };
  const runner = await createTransformersRunner(options, await createWasmTensorRuntime());
  return createDecoderModel(runner, { endOfSequence: [2] });
}

const folder = join(import.meta.dirname, "../../../../public/models/stories260k");
const bundled: Files = {
  graph: new Uint8Array(readFileSync(join(folder, "onnx/model.onnx"))),
  externalData: new Map(),
  config: JSON.parse(readFileSync(join(folder, "config.json"), "utf8")),
  file: "onnx/model.onnx",
};

describe("the bundled model through @huggingface/transformers, on WebAssembly", () => {
  for (const { name, run } of languageModelConformance("", () => open(bundled), { tolerance: 1e-4 })) {
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
    const whole = await open(bundled);
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

const exported = exportedGraphs();
if (exported.length === 0) test.skip("the exporters' graphs: set MIDTOKEN_MODELS");

/** Norms inside the attention operator run only on WebGPU. */
const isForWebGpu = (name: string) => /_gpu$/.test(name);

/** The kinds that run the whole suite: a growing cache with positions as an input, and states. */
const wholly = /tiny-smollm3\/model_concat|tiny-lfm2\/model$/;

/** One graph of each kind; `npm run bench -- decode --only graphs` runs all of them. */
const kinds =
  /tiny-smollm3|tiny-lfm2\/model(_q4_gpu)?$|tiny-gemma3\/model_concat|tiny-llama\/model_(last_logits|q4|q4f16)$/;

for (const graph of exported.filter(({ name }) => kinds.test(name))) {
  const title = `${graph.name} through @huggingface/transformers, on WebAssembly`;
  if (isForWebGpu(graph.name)) {
    test(`${title}: refused`, async () => {
      await expect(open(readGraph(graph))).rejects.toThrow(/does not run on WebAssembly/);
    });
    continue;
  }
  const tolerance = graph.name.endsWith("q4f16") ? 2e-2 : 1e-4;
  const checks = languageModelConformance(title, () => open(readGraph(graph)), { tolerance });
  for (const { name, run } of wholly.test(graph.name) ? checks : checks.slice(0, 1)) test(name, run);
  test.skipIf(/_q4/.test(graph.name))(`${title}: the reference's tokens`, async () => {
    const { prompt, reference } = readExpectedOutput(graph);
    const model = await open(readGraph(graph), 2048);
    expect(await firstTokenDifference(model, prompt, reference.greedy)).toBeNull();
    await model.dispose();
  });
}
