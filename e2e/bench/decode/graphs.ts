/**
 * Every text graph of `exported` on both devices. In float32 its tokens are the reference's, of PyTorch. In 4 bits there are no
 * tokens to hold it against, and so are the log-sum-exp of native ONNX Runtime and the tokens on the other device.
 */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { exported, type ServedGraph } from "../../webgpu/graphs.ts";
import { type BenchRow, exactly, missingRows } from "../machine.ts";
import { openBenchPage } from "./browser.ts";
import type { GraphAnswer } from "./run-graph.ts";

const devices = ["wasm", "webgpu"] as const;
type Device = (typeof devices)[number];
const names: Record<Device, string> = { wasm: "WebAssembly", webgpu: "WebGPU" };

/** What expected.json says of a graph. */
interface Expected {
  readonly prompt: readonly number[];
  readonly reference: { readonly greedy: readonly number[] };
  readonly graphs: Readonly<Record<string, { readonly logsumexp?: number }>>;
}

/** 4-bit kernels add in another order than the native ones. */
const tolerance = 0.01;

/** Graphs that a device cannot run, by name, and the words that say so. */
const refusals: Record<Device, readonly [RegExp, RegExp][]> = {
  wasm: [[/model_q4_gpu$/, /exists on WebGPU only/]],
  webgpu: [[/model_q4f16$/, /shader-f16/]],
};

export async function graphKinds(): Promise<BenchRow[]> {
  if (exported.length === 0) return missingRows("every text graph of the exporters, by device");
  const { page, close } = await openBenchPage();
  const answers = new Map<string, GraphAnswer | string>();
  const hasFloat16 = await page.evaluate(async () => {
    const adapter = await navigator.gpu?.requestAdapter();
    return adapter?.features.has("shader-f16") ?? false;
  });
  const rows: BenchRow[] = [];
  try {
    for (const device of devices) {
      const outcome = { right: 0, wrong: [] as string[], refused: 0 };
      for (const graph of exported) {
        const { prompt, reference } = expectedOf(graph);
        const answer = await page.evaluate(
          ([address, on, text, count]) => window.decodeBench.engine.runGraph(address, on, text, count),
          [graph.address, device, [...prompt], reference.greedy.length] as const,
        );
        answers.set(`${graph.name} ${device}`, answer);
        const fault = faultOf(graph, device, answers, hasFloat16);
        console.error(`${graph.name} on ${names[device]}: ${fault ?? "right"}`);
        if (fault !== null) outcome.wrong.push(graph.name);
        else if (typeof answer === "string") outcome.refused += 1;
        else outcome.right += 1;
      }
      const { right, refused, wrong } = outcome;
      rows.push(
        exactly(
          `${names[device]}: the exporters' graphs that give the reference's tokens, or in 4 bits its log-sum-exp; ${refused} more are refused with the reason`,
          right,
          `of ${right + wrong.length}`,
          right + wrong.length,
        ),
      );
    }
  } finally {
    await close();
  }
  return rows;
}

function expectedOf({ folder }: ServedGraph): Expected {
  return JSON.parse(readFileSync(join(folder, "expected.json"), "utf8")) as Expected;
}

/** What is wrong with an answer, or null. */
function faultOf(
  graph: ServedGraph,
  device: Device,
  answers: ReadonlyMap<string, GraphAnswer | string>,
  hasFloat16: boolean,
): string | null {
  const answer = answers.get(`${graph.name} ${device}`);
  if (answer === undefined) return "no answer";
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
  if (native !== undefined && !(Math.abs(answer.logSumExp - native) <= tolerance)) {
    return `log-sum-exp ${answer.logSumExp} instead of ${native}`;
  }
  const other = device === "webgpu" ? answers.get(`${graph.name} wasm`) : undefined;
  if (other === undefined || typeof other === "string") return null;
  return String(answer.tokens) === String(other.tokens) ? null : `tokens ${answer.tokens}`;
}
