/** SmolLM2 with its layers opened against the same as its exporter wrote it: time per token, in turns token by token, and the lens. */
import { smolLm2SetupHint, smolLm2WithWeights } from "../../../scripts/models-folder.ts";
import { largestDifference, someTokens } from "../../../src/core/decoder/ports/language-model.compare.ts";
import type { LanguageModel } from "../../../src/core/decoder/ports/language-model.ts";
import { createModel } from "../../../src/runtime/engine/load/create-model.ts";
import { type ExportedGraph, graphsOf, readGraph } from "../../../src/runtime/engine/testing/graph-folder.ts";
import { atMost, type BenchRow, figure, missingRows, timeAtMost } from "../machine.ts";
import { median } from "../statistics.ts";

const rounds = 8;
const tokensPerRound = 16;
const context = 20;

export async function layersCost(): Promise<BenchRow[]> {
  const folder = smolLm2WithWeights();
  const [graph] = folder ? graphsOf(folder) : [];
  if (!graph) return missingRows("SmolLM2 with its layers opened, and its lens", smolLm2SetupHint);
  const [plain, opened] = [await load(graph, false), await load(graph, true)];
  try {
    return await measure(plain, opened);
  } finally {
    await Promise.all([plain.dispose(), opened.dispose()]);
  }
}

async function load(graph: ExportedGraph, openLayers: boolean): Promise<LanguageModel> {
  const options = { ...readGraph(graph), openLayers, device: "wasm", threads: 1, endOfSequence: [] } as const;
  return (await createModel(options)).model;
}

async function measure(plain: LanguageModel, opened: LanguageModel): Promise<BenchRow[]> {
  const { layers } = opened;
  if (!layers) throw new Error("The model has no layers.");
  const every = Array.from({ length: layers.count }, (_, layer) => layer);
  const vector = new Float32Array(layers.hiddenSize).fill(0.01);
  const set = (steered: readonly number[], kept: readonly number[]) => () => {
    layers.steer(new Map(steered.map((layer) => [layer, vector])));
    layers.keep(kept);
  };
  const ways = {
    opened: set([], []),
    steered: set(every, []),
    kept: set([], every),
  } as const;
  const text = someTokens(plain.vocabularySize, context + tokensPerRound, 3);
  const plainTimes: number[] = [];
  const shares = { opened: [] as number[], steered: [] as number[], kept: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    for (const [name, prepare] of Object.entries(ways) as [keyof typeof ways, () => void][]) {
      prepare();
      for (const model of [plain, opened]) {
        model.truncate(0);
        await model.forward(text.slice(0, context));
      }
      for (const [place, token] of text.slice(context).entries()) {
        // In turns first, since the second finds the processor as the first left it.
        const early = place % 2 === 0 ? await timeOf(plain, token) : null;
        const other = await timeOf(opened, token);
        const one = early ?? (await timeOf(plain, token));
        // The first round warms up.
        if (round === 0) continue;
        plainTimes.push(one);
        shares[name].push(other / one);
      }
    }
  }
  const memory = (opened.memoryBytes ?? Number.NaN) / (plain.memoryBytes ?? Number.NaN);
  const lens = await lensTimes(opened, text);
  return [
    figure("SmolLM2 on WebAssembly, one thread, as its exporter wrote it: a token", median(plainTimes), "ms"),
    figure("its layers opened: memory once it is loaded and has answered", memory, "of the plain one's"),
    figure("its layers opened, nothing asked", median(shares.opened), "of the plain time"),
    atMost("every layer steered", median(shares.steered), "of the plain time", 1.03),
    atMost("hidden rows of every layer kept", median(shares.kept), "of the plain time", 1.05),
    await timeAtMost("the lens of one step, every layer", median(lens.times), "ms", 150),
    atMost("the last layer through the lens, from the logits", lens.difference, "", 1e-4),
  ];
}

async function timeOf(model: LanguageModel, token: number): Promise<number> {
  const start = performance.now();
  await model.forward([token]);
  return performance.now() - start;
}

async function lensTimes(model: LanguageModel, text: readonly number[]) {
  const { layers } = model;
  if (!layers) throw new Error("The model has no layers.");
  const every = Array.from({ length: layers.count }, (_, layer) => layer);
  layers.steer(new Map());
  layers.keep(every);
  model.truncate(0);
  const logits = await model.forward(text);
  const times: number[] = [];
  let seen = new Float32Array(0);
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    const rows = new Float32Array(every.length * layers.hiddenSize);
    for (const layer of every) rows.set(await layers.hidden(layer), layer * layers.hiddenSize);
    seen = (await layers.lens(rows)) as typeof seen;
    times.push(performance.now() - start);
  }
  return { times, difference: largestDifference(seen.slice(-model.vocabularySize), logits) };
}
