import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { languageModelConformance } from "../../decoder/language-model.conformance.ts";
import type { LanguageModel } from "../../decoder/language-model.ts";
import { createGqaModel } from "../gqa-model.ts";
import { exportedGraphs, readExpected, readGraph } from "../testing/exported-models.ts";
import { firstDifference } from "../testing/greedy.ts";
import { createTransformersRunner } from "./transformers-runner.ts";
import { createWasmTensors } from "./wasm-tensors.ts";

interface Files {
  readonly graph: Uint8Array;
  readonly externalData: ReadonlyMap<string, Uint8Array>;
  readonly config: Readonly<Record<string, unknown>>;
  readonly file: string;
}

/** A short context, so that filling it takes a few passes. */
async function open({ graph, externalData, config, file }: Files, contextLength = 200): Promise<LanguageModel> {
  const graphs = [{ name: "model", graph, externalData }];
  const options = { graphs, config: { ...config, max_position_embeddings: contextLength }, file };
  const runner = await createTransformersRunner(options, await createWasmTensors());
  return createGqaModel(runner, { endOfSequence: [2] });
}

const folder = join(import.meta.dirname, "../../../public/models/stories260k");
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

const exported = exportedGraphs();
if (exported.length === 0) test.skip("the exporters' graphs: set MIDTOKEN_MODELS");

/** Norms inside its attention operator: on WebGPU alone. */
const isForWebGpu = (name: string) => /_gpu$/.test(name);

for (const graph of exported) {
  if (isForWebGpu(graph.name)) {
    test(`${graph.name} is refused on WebAssembly`, async () => {
      await expect(open(readGraph(graph))).rejects.toThrow(/Choose WebGPU|does not run on WebAssembly/);
    });
    continue;
  }
  describe(`${graph.name} through @huggingface/transformers, on WebAssembly`, () => {
    const tolerance = graph.name.endsWith("q4f16") ? 2e-2 : 1e-4;
    for (const { name, run } of languageModelConformance("", () => open(readGraph(graph)), { tolerance })) {
      test(name, run);
    }
    test.skipIf(/_q4/.test(graph.name))("writes the reference's tokens", async () => {
      const { prompt, reference } = readExpected(graph);
      const model = await open(readGraph(graph), 2048);
      expect(await firstDifference(model, prompt, reference.greedy)).toBeNull();
      await model.dispose();
    });
  });
}
