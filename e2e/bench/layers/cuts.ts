/**
 * Random plans of cuts, passes and changes of steering on a model, each against the same text from scratch, on another instance:
 * for each kind of memory a graph. Between them parts of the context are saved and taken back.
 */
import type { WebGpuDevice } from "../../../scripts/chromium-switches.ts";
import { largestDifference, someTokens } from "../../../src/core/decoder/ports/language-model.compare.ts";
import type { CacheSegment } from "../../../src/core/decoder/ports/language-model.ts";
import {
  modelLayersConformance,
  type SteeredToken,
  steeredLogitsFromScratch,
} from "../../../src/core/decoder/ports/model-layers.conformance.ts";
import type { SteeringVectors } from "../../../src/core/decoder/ports/model-layers.ts";
import { createModel } from "../../../src/runtime/engine/load/create-model.ts";
import { type ExportedGraph, readGraph } from "../../../src/runtime/engine/testing/graph-folder.ts";
import type { EnginePage } from "../../webgpu/engine-page.ts";
import { bundledGraphs, exported, type ServedGraph } from "../../webgpu/graphs.ts";
import { openBenchPage } from "../decode/browser.ts";
import { deviceNames } from "../device-option.ts";
import { atMost, type BenchRow, exactly, figure, missingRows, onAdapter } from "../machine.ts";
import { everyLayer, type LayeredModel, larger, withLayers } from "./figures.ts";

const tolerance = 1e-4;
const plans = 12;
const stepsInPlan = 24;
const longest = 150;

/** By what its memory is: rows of fixed size, with a window, joined at every pass, with states that are computed again after a cut. */
const memories: readonly (readonly [string, string])[] = [
  ["a cache of fixed size", "stories260k/model"],
  ["a cache of fixed size with a sliding window", "tiny-gemma3/model"],
  ["a cache that grows", "tiny-llama/model_concat"],
  ["a cache that grows, with a sliding window", "tiny-gemma3/model_concat"],
  ["states beside a cache", "tiny-lfm2/model"],
];

declare global {
  interface Window {
    engine: EnginePage;
  }
}

/**
 * The rows of WebAssembly are left out with `--device gpu`: they take minutes, and no card changes them. Each graph's rows come as
 * soon as they are measured.
 */
export async function* cutsUnderSteering(device: WebGpuDevice): AsyncGenerator<BenchRow[]> {
  const graphs: ServedGraph[] = [];
  for (const [memory, name] of memories) {
    const graph = [...bundledGraphs, ...exported].find((each) => each.name === name);
    if (!graph) {
      missingRows(`cuts under changing steering: ${memory}`);
      continue;
    }
    graphs.push(graph);
    if (device === "software") yield await rowsOf(graph, memory);
  }
  yield* onWebGpu(device, graphs);
}

/** The suite that every model with layers has to pass, cuts under changing steering among it: random plans take too long there. */
async function* onWebGpu(device: WebGpuDevice, graphs: readonly ServedGraph[]): AsyncGenerator<BenchRow[]> {
  const never = () => Promise.reject(new Error("Counted, and not run."));
  const checks = modelLayersConformance("", { plain: never, layered: never }, { tolerance }).length;
  const { page, adapter, close } = await openBenchPage({
    gpu: device,
    at: { path: "../webgpu/engine.html", global: "engine" },
  });
  try {
    for (const { name, address } of graphs) {
      const results = await page.evaluate(([a, t]) => window.engine.layers(a, t), [
        address,
        tolerance,
      ] as const);
      const failed = results.filter(({ failure }) => failure !== null);
      for (const { name: check, failure } of failed) console.error(`${name}, ${check}: ${failure}`);
      const title = `${deviceNames[device]}, ${name}: checks of reading and steering layers within ${tolerance}, cuts under changing steering among them`;
      yield onAdapter(adapter, [exactly(title, results.length - failed.length, `of ${checks}`, checks)]);
    }
  } finally {
    await close();
  }
}

async function rowsOf(graph: ExportedGraph, memory: string): Promise<BenchRow[]> {
  const [model, fresh] = [await load(graph), await load(graph)];
  const tally: Tally = { difference: 0, compared: 0, cuts: 0, restored: 0, effect: 0 };
  for (let seed = 1; seed <= plans; seed++) await follow(model, fresh, seed, tally);
  await Promise.all([model.dispose(), fresh.dispose()]);
  const { difference, compared, cuts, restored, effect } = tally;
  const title = `WebAssembly, ${graph.name} (${memory}): cuts and passes under changing steering`;
  return [
    atMost(`${title}, from the same from scratch`, difference, "", tolerance),
    exactly(`${title}: passes compared`, compared, "", plans * stepsInPlan),
    figure(`${title}: cuts and segments taken back among them`, cuts + restored, ""),
    figure(`${title}: what the steering changes in the logits, at most`, effect, ""),
  ];
}

async function load(graph: ExportedGraph): Promise<LayeredModel> {
  const options = { ...readGraph(graph), device: "wasm", endOfSequence: [], openLayers: true } as const;
  return withLayers((await createModel(options)).model);
}

interface Tally {
  difference: number;
  compared: number;
  cuts: number;
  restored: number;
  effect: number;
}

/** A segment with the text that it was saved of. */
interface Saved {
  readonly segment: CacheSegment;
  readonly text: readonly SteeredToken[];
}

async function follow(model: LayeredModel, fresh: LayeredModel, seed: number, tally: Tally): Promise<void> {
  const draw = draws(seed);
  const tokens = someTokens(model.vocabularySize, stepsInPlan * 48, seed);
  let text: SteeredToken[] = [];
  let steering: SteeringVectors = new Map();
  let saved: Saved | null = null;
  model.truncate(0);
  model.layers.keep(draw(2) === 0 ? everyLayer(model.layers) : []);
  for (let step = 0, used = 0; step < stepsInPlan; step++) {
    if (saved && draw(4) === 0) {
      await model.segments?.restore(
        saved.text.map(({ token }) => token),
        [saved.segment],
      );
      text = [...saved.text];
      tally.restored += 1;
    }
    const cut = draw(2) === 0 ? text.length : draw(text.length + 1);
    if (cut < text.length) tally.cuts += 1;
    model.truncate(cut);
    text.length = cut;
    // As often as not as before: what follows one another under the same is one pass.
    if (draw(2) === 0) steering = someSteering(model, draw);
    model.layers.steer(steering);
    const count = 1 + draw(draw(3) === 0 ? 48 : 4);
    const most = Math.max(1, Math.min(count, longest - text.length));
    const span = tokens.slice(used, used + most);
    used += most;
    if (text.length + span.length > longest) text.length = 0;
    if (model.length > text.length) model.truncate(text.length);
    for (const token of span) text.push({ token, steering });
    const logits = await model.forward(span);
    const expected = await steeredLogitsFromScratch(fresh, text);
    tally.difference = larger(tally.difference, largestDifference(logits, expected));
    tally.compared += 1;
    if (step === stepsInPlan - 1) {
      const plain = text.map(({ token }) => ({ token, steering: new Map() }));
      tally.effect = Math.max(
        tally.effect,
        largestDifference(await steeredLogitsFromScratch(fresh, plain), expected),
      );
    }
    if (draw(5) === 0) saved = (await save(model, text, saved)) ?? saved;
  }
  if (saved) model.segments?.free(saved.segment);
}

async function save(
  model: LayeredModel,
  text: readonly SteeredToken[],
  before: Saved | null,
): Promise<Saved | null> {
  const segment = await model.segments?.save(0, text.length);
  if (!segment) return null;
  if (before) model.segments?.free(before.segment);
  return { segment, text: text.slice(0, segment.to) };
}

/** Nothing, or a vector behind some layers, about as large as what a layer adds itself. */
function someSteering({ layers }: LayeredModel, draw: Draw): SteeringVectors {
  const chosen = everyLayer(layers).filter(() => draw(3) === 0);
  return new Map(
    chosen.map((layer) => [
      layer,
      Float32Array.from({ length: layers.hiddenSize }, () => draw(1001) / 1000 - 0.5),
    ]),
  );
}

/** A whole number below `end`. */
type Draw = (end: number) => number;

function draws(seed: number): Draw {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  return (end) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
}
