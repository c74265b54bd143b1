/**
 * Every text graph of `exported` on both devices. In float32 its tokens are the reference's, of PyTorch. In 4 bits the reference has no
 * tokens: the log-sum-exp is held against native ONNX Runtime's, and the tokens on WebGPU against WebAssembly's. With subgroups WebGPU
 * rounds activations to 8 bits and may choose other tokens: there the log-sum-exp alone counts, and e2e/webgpu/eight-bits.spec.ts.
 */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Page } from "playwright-core";
import type { WebGpuDevice } from "../../../scripts/chromium-switches.ts";
import { messageOf } from "../../../src/core/base/message-of.ts";
import { exported, type ServedGraph } from "../../webgpu/graphs.ts";
import { type BenchRow, exactly, figure, missingRows, onAdapter } from "../machine.ts";
import { openBenchPage } from "./browser.ts";
import type { GraphAnswer } from "./run-graph.ts";

const devices = ["wasm", "webgpu"] as const;
type Device = (typeof devices)[number];
const deviceNames: Record<Device, string> = { wasm: "WebAssembly", webgpu: "WebGPU" };

/** A text is why a graph was refused. */
type Answer = GraphAnswer | string | Error;
type Answers = Map<string, Answer>;

/** The expected outputs of a graph, from expected.json. */
interface Expected {
  readonly prompt: readonly number[];
  readonly reference: { readonly greedy: readonly number[] };
  readonly graphs: Readonly<Record<string, { readonly logsumexp?: number }>>;
}

/** 4-bit kernels add in another order than the native ones; on a GPU in float16, of which half a unit at 16 is 0.008. */
const tolerance = { float32: 0.01, float16: 0.05 };

/** Graphs that a device cannot run, by name, and the words that say so. */
const refusals: Record<Device, readonly [RegExp, RegExp][]> = {
  wasm: [[/model_q4_gpu$/, /exists on WebGPU only/]],
  webgpu: [[/model_q4f16$/, /shader-f16/]],
};

/** Who computes: our own loop, and what it does not know through @huggingface/transformers; or that library for all of them. */
type Way = "as chosen" | "transformers";

/**
 * Each device's rows as soon as it has run all graphs. WebAssembly is left out with a card whose tokens are not compared with its
 * own: it takes minutes, and no card changes it.
 */
export async function* graphKinds(gpu: WebGpuDevice, way: Way): AsyncGenerator<BenchRow[]> {
  const title =
    way === "as chosen" ? "every text graph of the exporters" : "the same by force through the library";
  if (exported.length === 0) {
    yield missingRows(`${title}, by device`);
    return;
  }
  const { page, adapter, close } = await openBenchPage({ gpu });
  try {
    const abilities = {
      hasFloat16: adapter?.features.includes("shader-f16") ?? false,
      hasWideSubgroups: (adapter?.subgroups?.[0] ?? 0) >= 8,
    };
    const answers: Answers = new Map();
    const asked = gpu === "gpu" && abilities.hasWideSubgroups ? (["webgpu"] as const) : devices;
    for (const device of asked) {
      const tally: Tally = { right: 0, wrong: [], refused: [], throughLibrary: [] };
      for (const graph of exported) {
        const answer = await answerOf(page, graph, device, way);
        answers.set(`${graph.name} ${device}`, answer);
        const fault = faultOf(graph, device, answers, abilities);
        console.error(`${graph.name} on ${deviceNames[device]}: ${fault ?? "right"}`);
        count(tally, graph, answer, fault);
      }
      const own = rowsOf(device, way, tally);
      yield device === "wasm" ? own : onAdapter(adapter, own);
    }
  } finally {
    await close();
  }
}

function answerOf(page: Page, graph: ServedGraph, device: Device, way: Way): Promise<Answer> {
  const { prompt, reference } = expectedOf(graph);
  const implementation = way === "transformers" ? way : undefined;
  const options = { device, implementation, prompt, count: reference.greedy.length };
  return page
    .evaluate(([address, asked]) => window.decodeBench.engine.runGraph(address, asked), [
      graph.address,
      options,
    ] as const)
    .catch((error: unknown) => new Error(messageOf(error)));
}

interface Tally {
  right: number;
  readonly wrong: string[];
  readonly refused: string[];
  readonly throughLibrary: string[];
}

function count(tally: Tally, { name }: ServedGraph, answer: Answer, fault: string | null): void {
  if (fault !== null) tally.wrong.push(name);
  else if (typeof answer === "string") tally.refused.push(name);
  else tally.right += 1;
  const isThroughLibrary =
    typeof answer === "object" && "reason" in answer && /through @huggingface/.test(answer.reason);
  if (isThroughLibrary) tally.throughLibrary.push(name);
}

function rowsOf(device: Device, way: Way, { right, wrong, refused, throughLibrary }: Tally): BenchRow[] {
  const where =
    way === "as chosen" ? deviceNames[device] : `@huggingface/transformers on ${deviceNames[device]}`;
  const listed = (names: readonly string[]) => (names.length === 0 ? "" : ` (${names.join(", ")})`);
  const title = `${where}: the exporters' graphs that give the reference's tokens, or in 4 bits its log-sum-exp`;
  const wrongOnes = wrong.length === 0 ? "" : `; wrong are ${wrong.join(", ")}`;
  const rows = [
    exactly(`${title}${wrongOnes}`, right, `of ${right + wrong.length}`, right + wrong.length),
    figure(`${where}: refused with the reason${listed(refused)}`, refused.length, "graphs"),
  ];
  if (way === "transformers") return rows;
  const library = `${where}: computed through @huggingface/transformers, since our loop does not know them`;
  return [...rows, figure(`${library}${listed(throughLibrary)}`, throughLibrary.length, "graphs")];
}

function expectedOf({ folder }: ServedGraph): Expected {
  return JSON.parse(readFileSync(join(folder, "expected.json"), "utf8")) as Expected;
}

interface Abilities {
  readonly hasFloat16: boolean;
  readonly hasWideSubgroups: boolean;
}

/** The fault of an answer as a sentence, or null. */
function faultOf(
  graph: ServedGraph,
  device: Device,
  answers: Answers,
  { hasFloat16, hasWideSubgroups }: Abilities,
): string | null {
  const answer = answers.get(`${graph.name} ${device}`);
  if (answer === undefined) return "no answer";
  if (answer instanceof Error) return `failed: ${answer.message}`;
  const refusal = refusals[device].find(([name]) => name.test(graph.name))?.[1];
  const mayRun = refusal === undefined || (device === "webgpu" && hasFloat16);
  if (typeof answer === "string") {
    return !mayRun && refusal?.test(answer) ? null : `refused: ${answer}`;
  }
  if (!mayRun) return "runs, and should have been refused";
  const { reference, graphs } = expectedOf(graph);
  if (!graph.quantized) {
    return String(answer.tokens) === String(reference.greedy) ? null : `tokens ${answer.tokens}`;
  }
  const native = graphs[basename(graph.file, ".onnx")]?.logsumexp;
  const allowed = device === "webgpu" && /f16$/.test(graph.name) ? tolerance.float16 : tolerance.float32;
  if (native !== undefined && !(Math.abs(answer.logSumExp - native) <= allowed)) {
    return `log-sum-exp ${answer.logSumExp} instead of ${native}`;
  }
  const other = device === "webgpu" && !hasWideSubgroups ? answers.get(`${graph.name} wasm`) : undefined;
  if (other === undefined || typeof other === "string" || other instanceof Error) return null;
  return String(answer.tokens) === String(other.tokens) ? null : `tokens ${answer.tokens}`;
}
