/** The graphs of the exporters through @huggingface/transformers, on WebAssembly. */
import { expect, test } from "vitest";
import { languageModelConformance } from "../../../core/decoder/ports/language-model.conformance.ts";
import { exportedGraphs } from "../testing/exported-models.ts";
import { readExpectedOutput, readGraph } from "../testing/graph-folder.ts";
import { firstTokenDifference } from "../testing/greedy.ts";
import { openThroughLibrary } from "./testing/open-through-library.ts";

const exported = exportedGraphs();
if (exported.length === 0) test.skip("the exporters' graphs: set MIDTOKEN_MODELS", () => {});

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
      await expect(openThroughLibrary(readGraph(graph))).rejects.toThrow(/does not run on WebAssembly/);
    });
    continue;
  }
  const tolerance = graph.name.endsWith("q4f16") ? 2e-2 : 1e-4;
  const checks = languageModelConformance(title, () => openThroughLibrary(readGraph(graph)), { tolerance });
  for (const { name, run } of wholly.test(graph.name) ? checks : checks.slice(0, 1)) test(name, run);
  test.skipIf(/_q4/.test(graph.name))(`${title}: the reference's tokens`, async () => {
    const { prompt, reference } = readExpectedOutput(graph);
    const model = await openThroughLibrary(readGraph(graph), 2048);
    expect(await firstTokenDifference(model, prompt, reference.greedy)).toBeNull();
    await model.dispose();
  });
}
