/**
 * Every graph of `exported` with its layers opened against itself as its exporter wrote it: the last layer through the lens, and the
 * logits under vectors of zeros. The limit is for float32; of the other kinds the largest differences are told.
 */

import type { WebGpuDevice } from "../../../scripts/chromium-switches.ts";
import { ensureGeneratedModel } from "../../../scripts/models/generated.ts";
import { smolLm2SetupHint, smolLm2WithWeights } from "../../../scripts/models-folder.ts";
import { messageOf } from "../../../src/core/base/message-of.ts";
import { createModel } from "../../../src/runtime/engine/load/create-model.ts";
import { UnsupportedGraphError } from "../../../src/runtime/engine/onnx/decoder-graph.ts";
import {
  type ExportedGraph,
  graphsOf,
  readExpectedOutput,
  readGraph,
} from "../../../src/runtime/engine/testing/graph-folder.ts";
import { bundledGraphs, exported, type ServedGraph } from "../../webgpu/graphs.ts";
import { openBenchPage } from "../decode/browser.ts";
import { deviceNames } from "../device-option.ts";
import { atMost, type BenchRow, exactly, figure, missingRows, onAdapter } from "../machine.ts";
import { type GraphMetrics, graphMetrics, larger, withLayers } from "./figures.ts";
import type { LayersBench } from "./page.ts";

declare global {
  interface Window {
    layersBench: LayersBench;
  }
}

const tolerance = 1e-4;

/** Greedy tokens that are compared behind the prompt. On software WebGPU a token takes a tenth of a second. */
const tokenCounts = { wasm: 32, webgpu: 8 } as const;

const kinds = {
  float32: "float32",
  q4: "4-bit weights",
  int8: "int8 weights",
  float16: "float16, 4-bit weights",
} as const;
type Kind = keyof typeof kinds;

function kindOf({ name }: ExportedGraph): Kind {
  if (/f16|fp16/.test(name)) return "float16";
  if (/int8/.test(name)) return "int8";
  return /q4/.test(name) ? "q4" : "float32";
}

/** A text is why the graph is refused; an error is a fault. */
type Answer = GraphMetrics | string | Error;
type Answers = readonly (readonly [ExportedGraph, Answer])[];

export async function layersOfGraphs(device: WebGpuDevice): Promise<BenchRow[]> {
  const graphs = [...bundledGraphs, ...exported];
  if (exported.length === 0) missingRows("the exporters' graphs with their layers opened");
  return [
    ...rowsOf("WebAssembly", await inNode([...graphs, ...smollm2()])),
    ...(await rowsInChromium(device, graphs)),
  ];
}

/** As its exporter wrote it, and its weights in the forms that hubs serve; none if the weights are missing, and the bench says so. */
function smollm2(): ExportedGraph[] {
  const folder = smolLm2WithWeights();
  if (!folder) {
    missingRows("SmolLM2 with its layers opened", smolLm2SetupHint);
    return [];
  }
  return [...graphsOf(folder), ...graphsOf(ensureGeneratedModel("smollm2-135m", ["fp32", "q4", "int8"]))];
}

/** A fixed prompt for graphs that have none of their own. */
const otherPrompt = [1, 403, 407, 261, 378, 432, 383, 286, 261, 376, 400, 268];

function promptOf(graph: ExportedGraph): readonly number[] {
  return exported.includes(graph as ServedGraph) ? readExpectedOutput(graph).prompt : otherPrompt;
}

async function inNode(graphs: readonly ExportedGraph[]): Promise<Answers> {
  const answers: [ExportedGraph, Answer][] = [];
  for (const graph of graphs)
    answers.push([graph, logAnswer(graph, "WebAssembly", await answerInNode(graph))]);
  return answers;
}

async function answerInNode(graph: ExportedGraph): Promise<Answer> {
  const options = { ...readGraph(graph), device: "wasm", endOfSequence: [] } as const;
  try {
    const { model: plain } = await createModel({ ...options, implementation: "own" });
    const { model: opened } = await createModel({ ...options, openLayers: true });
    const figures = await graphMetrics(plain, withLayers(opened), promptOf(graph), tokenCounts.wasm);
    await Promise.all([plain.dispose(), opened.dispose()]);
    return figures;
  } catch (error) {
    if (error instanceof UnsupportedGraphError) return error.message;
    return new Error(messageOf(error), { cause: error });
  }
}

async function rowsInChromium(device: WebGpuDevice, graphs: readonly ServedGraph[]): Promise<BenchRow[]> {
  const { page, adapter, close } = await openBenchPage({
    gpu: device,
    at: { path: "layers/index.html", global: "layersBench" },
  });
  try {
    const answers: [ExportedGraph, Answer][] = [];
    for (const graph of graphs) {
      const asked = [graph.address, [...promptOf(graph)], tokenCounts.webgpu] as const;
      const answer = await page
        .evaluate(([a, p, n]) => window.layersBench.graph(a, p, n), asked)
        .catch((error: unknown) => new Error(messageOf(error)));
      answers.push([graph, logAnswer(graph, deviceNames[device], answer)]);
    }
    return onAdapter(adapter, rowsOf(deviceNames[device], answers));
  } finally {
    await close();
  }
}

/** Prints the answer and returns it. */
function logAnswer({ name }: ExportedGraph, device: string, answer: Answer): Answer {
  console.error(`${name} on ${device}: ${answerText(answer)}`);
  return answer;
}

function answerText(answer: Answer): string {
  if (answer instanceof Error) return `failed: ${answer.message}`;
  if (typeof answer === "string") return `refused: ${answer}`;
  const { lens, zeros, sameTokens, spread } = answer;
  return `lens ${lens.toExponential(1)}, zeros ${zeros.toExponential(1)}, ${sameTokens ? "the same" : "other"} tokens, logits spread over ${spread.toFixed(1)}`;
}

function rowsOf(device: string, answers: Answers): BenchRow[] {
  const rows: BenchRow[] = [];
  for (const kind of Object.keys(kinds) as Kind[]) {
    const ofKind = answers.filter(([graph]) => kindOf(graph) === kind);
    if (ofKind.length > 0) rows.push(...rowsOfKind(device, kind, ofKind));
  }
  return rows;
}

function rowsOfKind(device: string, kind: Kind, answers: Answers): BenchRow[] {
  const title = `${device}, ${kinds[kind]}`;
  const run = answers.flatMap(([graph, answer]) => (isMetrics(answer) ? [{ graph, answer }] : []));
  const others = answers.flatMap(([graph, answer]) => {
    if (answer instanceof Error)
      return [exactly(`${title}: ${graph.name} failed: ${answer.message}`, 1, "graph", 0)];
    if (typeof answer !== "string") return [];
    return [figure(`${title}: ${graph.name} is refused: ${answer}`, 1, "graph")];
  });
  if (run.length === 0) return others;
  const largest = (of: (figures: GraphMetrics) => number) =>
    run.reduce((most, { answer }) => larger(most, of(answer)), 0);
  const same = run.filter(({ answer }) => answer.sameTokens).length;
  // The limits hold for float32 only.
  const held = (name: string, value: number) =>
    kind === "float32" ? atMost(name, value, "", tolerance) : figure(name, value, "");
  const names = run.length > 4 ? `${run.length} graphs` : run.map(({ graph }) => graph.name).join(", ");
  const spread = largest((answer) => answer.spread).toFixed(0);
  return [
    held(
      `${title}: the last layer through the lens, from the logits (${names}; logits spread over up to ${spread})`,
      largest((a) => a.lens),
    ),
    held(
      `${title}: logits with zeros behind every layer, from the untouched graph's`,
      largest((a) => a.zeros),
    ),
    exactly(`${title}: graphs with the same greedy tokens under zeros`, same, `of ${run.length}`, run.length),
    ...others,
  ];
}

function isMetrics(answer: Answer): answer is GraphMetrics {
  return typeof answer !== "string" && !(answer instanceof Error);
}
