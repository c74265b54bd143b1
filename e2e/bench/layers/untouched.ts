/** A model of which nobody asks its layers: what the runtime is given of it, and the time of a token. */

import type { WebGpuDevice } from "../../../scripts/chromium-switches.ts";
import { smolLm2SetupHint, smolLm2WithWeights } from "../../../scripts/models-folder.ts";
import { someTokens } from "../../../src/core/decoder/ports/language-model.compare.ts";
import type { LanguageModel } from "../../../src/core/decoder/ports/language-model.ts";
import { expandWeights } from "../../../src/runtime/engine/graph/expand-weights.ts";
import { createModel } from "../../../src/runtime/engine/load/create-model.ts";
import { type ExportedGraph, graphsOf, readGraph } from "../../../src/runtime/engine/testing/graph-folder.ts";
import { bundledGraphs, exported } from "../../webgpu/graphs.ts";
import { openBenchPage } from "../decode/browser.ts";
import { deviceNames } from "../device-option.ts";
import { atMost, type BenchRow, exactly, figure, missingRows, onAdapter } from "../machine.ts";
import { median } from "../statistics.ts";
import { copiesIntoHeap, digest } from "./untouched-bytes.ts";

export async function untouchedModels(device: WebGpuDevice): Promise<BenchRow[]> {
  if (exported.length === 0) missingRows("what the runtime is given of the exporters' graphs");
  const folder = smolLm2WithWeights();
  if (!folder) missingRows("what the runtime is given of SmolLM2", smolLm2SetupHint);
  const smollm2 = folder ? graphsOf(folder) : [];
  return [
    ...(await bytesOnWasm([...bundledGraphs, ...exported, ...smollm2])),
    ...(await bytesOnWebGpu(device)),
    ...(await times([...bundledGraphs.slice(0, 1), ...smollm2])),
  ];
}

async function bytesOnWasm(graphs: readonly ExportedGraph[]): Promise<BenchRow[]> {
  const [written, rewritten] = [
    { right: 0, all: 0 },
    { right: 0, all: 0 },
  ];
  for (const graph of graphs) {
    const files = readGraph(graph);
    // The expansion of weights with few bits that every load does (`engine/onnx/dequantize.ts`), done to the file itself.
    const expanded = await expandWeights(files);
    expanded.close();
    const file = await digest(files.graph);
    const wanted = await digest(expanded.files.graph);
    const copies = await copiesIntoHeap(async () => {
      const options = { ...files, device: "wasm", endOfSequence: [], implementation: "own" } as const;
      const { model } = await createModel(options).catch(() => ({ model: null }));
      await model?.dispose();
    });
    // Refused on WebAssembly before anything is given to the runtime.
    if (copies.length === 0) continue;
    const tally = wanted === file ? written : rewritten;
    tally.all += 1;
    if (copies.filter((copy) => copy === wanted).length === 1) tally.right += 1;
    else console.error(`${graph.name} is not given to the runtime as it is.`);
  }
  const title = "WebAssembly, no layers asked for: graphs given to the runtime";
  return [
    exactly(`${title} byte for byte as in their files`, written.right, `of ${written.all}`, written.all),
    exactly(
      `${title} with nothing but their weights of few bits written anew`,
      rewritten.right,
      `of ${rewritten.all}`,
      rewritten.all,
    ),
  ];
}

async function bytesOnWebGpu(device: WebGpuDevice): Promise<BenchRow[]> {
  const graphs = [
    ...bundledGraphs,
    ...exported.filter(({ name }) => /tiny-llama\/model(_q4|_concat)?$/.test(name)),
  ];
  const { page, adapter, close } = await openBenchPage({
    gpu: device,
    at: { path: "layers/index.html", global: "layersBench" },
  });
  try {
    let right = 0;
    for (const { address } of graphs) {
      const { file, given } = await page.evaluate((a) => window.layersBench.untouched(a), address);
      if (given.length > 0 && given.every((each) => each === file)) right += 1;
    }
    const title = `${deviceNames[device]}, no layers asked for: graphs given to the runtime byte for byte as in their files`;
    return onAdapter(adapter, [exactly(title, right, `of ${graphs.length}`, graphs.length)]);
  } finally {
    await close();
  }
}

const rounds = 8;
const tokensPerRound = 32;
const context = 20;

/** Two instances in turns, token by token: the second was made after the first, a layered one between them. */
async function times(graphs: readonly ExportedGraph[]): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const graph of graphs) {
    const first = await load(graph, false);
    const between = await load(graph, true);
    const { layers } = between;
    layers?.keep([0]);
    layers?.steer(new Map([[0, new Float32Array(layers.hiddenSize).fill(0.1)]]));
    await between.forward([1, 2, 3]);
    await between.dispose();
    const second = await load(graph, false);
    const { each, ratios } = await inTurns(first, second);
    await Promise.all([first.dispose(), second.dispose()]);
    const title = `WebAssembly, one thread, ${graph.name}, no layers asked for`;
    rows.push(
      figure(`${title}: a token`, median(each), "ms"),
      atMost(
        `${title}: loaded after a layered model was opened and ended, over before`,
        median(ratios),
        "",
        1.02,
      ),
    );
  }
  return rows;
}

async function load(graph: ExportedGraph, openLayers: boolean): Promise<LanguageModel> {
  const options = { ...readGraph(graph), openLayers, device: "wasm", threads: 1, endOfSequence: [] } as const;
  return (await createModel(options)).model;
}

async function inTurns(first: LanguageModel, second: LanguageModel) {
  const text = someTokens(first.vocabularySize, context + tokensPerRound, 3);
  const [each, ratios]: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round++) {
    for (const model of [first, second]) {
      model.truncate(0);
      await model.forward(text.slice(0, context));
    }
    for (const [place, token] of text.slice(context).entries()) {
      const early = place % 2 === 0 ? await timeOf(first, token) : null;
      const other = await timeOf(second, token);
      const one = early ?? (await timeOf(first, token));
      // The first round warms up.
      if (round === 0) continue;
      each.push(one);
      ratios.push(other / one);
    }
  }
  return { each, ratios };
}

async function timeOf(model: LanguageModel, token: number): Promise<number> {
  const start = performance.now();
  await model.forward([token]);
  return performance.now() - start;
}
