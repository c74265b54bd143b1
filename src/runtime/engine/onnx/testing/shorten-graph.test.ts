import { join } from "node:path";
import { expect, test } from "vitest";
import { largestDifference, someTokens } from "../../../../core/decoder/ports/language-model.compare.ts";
import { createDecoderModel } from "../../graph/decoder-model.ts";
import { exportedGraphs } from "../../testing/exported-models.ts";
import { type ExportedGraph, graphsOf, readGraph } from "../../testing/graph-folder.ts";
import { createWasmRunner } from "../../wasm/wasm-runner.ts";
import { parseModel } from "../codec.ts";
import { inspectGraph } from "../inspect.ts";
import { layersForCacheTests, removedLayers, shortenGraph } from "./shorten-graph.ts";

const bundled = join(import.meta.dirname, "../../../../../public/models/stories260k");
// WebAssembly has no kernels for graphs in float16 and for graphs made for WebGPU. Graphs of optimum differ only in their weights.
const others = /q4f16|_gpu|(?<!tiny-llama)\/model_concat/;
const graphs = [...graphsOf(bundled), ...exportedGraphs()].filter(({ name }) => !others.test(name));
const vocabulary = 512;

async function open(graph: ExportedGraph, isShortened: boolean) {
  const files = readGraph(graph);
  const kinds = (files.config.layer_types ?? []) as string[];
  const layers = layersForCacheTests(graph.name);
  const bytes = isShortened
    ? shortenGraph(files.graph, files.externalData, { layers, vocabulary, kinds })
    : files.graph;
  const summary = inspectGraph(parseModel(bytes));
  const runner = await createWasmRunner({ ...files, graph: bytes, summary, cacheRows: 64 });
  const model = createDecoderModel(runner, { endOfSequence: [] });
  const logitsOf = async (tokens: readonly number[]) => {
    model.truncate(0);
    return (await model.forward(tokens)).slice(0, vocabulary);
  };
  return { model, caches: runner.graph.caches.length + runner.graph.states.length, logitsOf };
}

test.each(graphs)(
  "$name: the logits depend on every token on which they depend in the whole graph",
  async (graph) => {
    const [whole, short] = [await open(graph, false), await open(graph, true)];
    expect(short.model.vocabularySize).toBe(vocabulary);
    const text = someTokens(vocabulary, 30, 3);
    const [all, some] = [await whole.logitsOf(text), await short.logitsOf(text)];
    const difference = largestDifference(all, some);
    if (short.caches < whole.caches) expect(difference).toBeGreaterThan(1e-2);
    else expect(difference).toBeLessThan(1e-5);
    let places = 0;
    for (let place = 0; place < text.length; place += 3) {
      const other = text.with(place, ((text[place] ?? 0) + 1) % vocabulary);
      if (largestDifference(all, await whole.logitsOf(other)) < 1e-3) continue;
      places += 1;
      const found = largestDifference(some, await short.logitsOf(other));
      expect(found, `token ${place}`).toBeGreaterThan(1e-3);
    }
    expect(places).toBeGreaterThan(6);
    await Promise.all([whole.model.dispose(), short.model.dispose()]);
  },
);

test("layers that repeat the kind of the layer before are removed, and never the first or the last", () => {
  const sliding = new Array<string>(5).fill("sliding");
  const removed = (count: number, layers: number, kinds: string[] = []) =>
    removedLayers(count, { layers, vocabulary, kinds });
  expect(removed(5, 3)).toEqual([1, 2]);
  expect(removed(5, 1)).toEqual([1, 2, 3]);
  expect(removed(6, 3, [...sliding, "full"])).toEqual([1, 2, 3]);
  expect(removed(4, 3, ["conv", "conv", "full", "conv"])).toEqual([1]);
  expect(removed(4, 1, ["conv", "conv", "full", "conv"])).toEqual([1]);
  expect(removed(3, 3)).toEqual([]);
  expect(removed(1, 0)).toEqual([]);
});
