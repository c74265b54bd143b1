/** The figures of the decode bench, each section a fresh page. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { WebGpuDevice } from "../../../scripts/chromium-switches.ts";
import type { AdapterRecord } from "../../../scripts/gpu/adapter-record.ts";
import { parseModel } from "../../../src/runtime/engine/onnx/codec.ts";
import { inspectGraph } from "../../../src/runtime/engine/onnx/inspect.ts";
import { readExpectedOutput } from "../../../src/runtime/engine/testing/graph-folder.ts";
import { exported, type ServedGraph } from "../../webgpu/graphs.ts";
import { deviceNames, isOnProcessor } from "../device-option.ts";
import {
  atLeast,
  atMost,
  type BenchRow,
  calibrate,
  exactly,
  figure,
  missingRows,
  onAdapter,
  timeAtMost,
} from "../machine.ts";
import { median } from "../statistics.ts";
import { type BenchPage, type BenchPageOptions, openBenchPage } from "./browser.ts";
import type { ContestOptions, ContestResult } from "./contest.ts";
import { entrantsOf, excess, overBounds, perToken, ratio, timesOf } from "./contest-rows.ts";
import type { DecodeBench } from "./page.ts";
import type { Subject } from "./rival.ts";
import type { ForcedSpanResult } from "./spans.ts";

declare global {
  interface Window {
    decodeBench: DecodeBench;
  }
}

/** The bundled model tells 342 tokens from here, so that no end of sequence comes within the tokens that are timed. */
export const story: Subject = {
  id: "stories260k",
  folder: "/models/stories260k/",
  dtype: "fp32",
  content: "Once upon a time",
};
/** From here it goes on for more than 500. */

/** Something on a fresh page of the bench. */
export async function onPage<T>(
  work: (page: BenchPage["page"], adapter: AdapterRecord | null) => Promise<T>,
  options: BenchPageOptions = {},
): Promise<T> {
  const { page, adapter, close } = await openBenchPage(options);
  try {
    return await work(page, adapter);
  } finally {
    await close();
  }
}

/**
 * Milliseconds of a contest's step, on a card and on the processor: a step that hangs fails, and the next contest still runs. Software
 * that poses as a card compiles kernels of SmolLM2's shape for minutes (scripts/gpu/README.md).
 */
const stepLimitsMs = { card: 90_000, processor: 1_800_000 };

/** A contest on a fresh page, with the WebGPU adapter of that page. */
export function contestOn(
  options: Omit<ContestOptions, "stepLimitMs">,
  pageOptions: BenchPageOptions = {},
): Promise<ContestResult & { readonly adapter: AdapterRecord | null }> {
  const isOnCard = options.device === "webgpu" && pageOptions.gpu === "gpu" && !isOnProcessor("gpu");
  const stepLimitMs = isOnCard ? stepLimitsMs.card : stepLimitsMs.processor;
  return onPage(async (page, adapter) => {
    const result = await page.evaluate((o) => window.decodeBench.contest(o), { ...options, stepLimitMs });
    return { ...result, adapter };
  }, pageOptions);
}

export const rivalsOnWasm = ["ours", "forward", "peer", "bare"] as const;
export const threadCounts = [1, 2] as const;

/** Against generate(), and the loop against its bounds, on WebAssembly. A model of this size has one thread (`engine/wasm/wasm-threads.ts`). */
export async function onWasm(): Promise<BenchRow[]> {
  const entrants = entrantsOf(rivalsOnWasm, 1);
  const timing = { timedTokens: 256, warmUps: 2, rounds: 12 };
  const before = calibrate();
  const result = await contestOn({ subject: story, device: "wasm", entrants, ...timing });
  const calibrations = [before, calibrate()];
  const overhead = excess(timesOf(result, "ours"), timesOf(result, "forward"));
  const name = "WebAssembly: decode() less our own forward(), per token";
  return [
    ...perToken("WebAssembly", result, { entrants, ...timing }),
    ...overBounds("WebAssembly", result, { bound: 1.15, peer: 2 }),
    await timeAtMost(name, overhead, "ms", 0.15, calibrations),
  ];
}

/**
 * A software adapter is slow: rounds are short, so that there are enough of them to compare. The bound is our own `forward()`: the
 * runtime's public `run` is what that calls, with all tensors on the device.
 */
export async function onWebGpu(gpu: WebGpuDevice): Promise<BenchRow[]> {
  const timing = { timedTokens: 32, warmUps: 8, rounds: 12 };
  const entrants = entrantsOf(["ours", "forward", "peer"], 1);
  const result = await contestOn({ subject: story, device: "webgpu", entrants, ...timing }, { gpu });
  const where = deviceNames[gpu];
  const ours = timesOf(result, "ours");
  return onAdapter(result.adapter, [
    ...perToken(where, result, { entrants, ...timing }),
    atMost(`${where}: decode() over our forward() alone`, ratio(ours, timesOf(result, "forward")), "×", 1.15),
    atLeast(`${where}: generate() over decode()`, ratio(timesOf(result, "peer"), ours), "×", 1),
  ]);
}

/** A prompt of 40 tokens in one pass, WebGPU against WebAssembly, on the exporters' graphs. */
export async function longPasses(gpu: WebGpuDevice): Promise<BenchRow[]> {
  const graphs = exported.filter(isFloat32Attention);
  if (graphs.length === 0) return missingRows("a prompt of 40 tokens in one pass, the exporters' graphs");
  return onPage(
    async (page, adapter) => {
      const rows: BenchRow[] = [];
      for (const graph of graphs) {
        const prompt = [...readExpectedOutput(graph).prompt].slice(0, 40);
        const { folder, file } = graph.address;
        const result = await page.evaluate(([a, b, c]) => window.decodeBench.engine.longPass(a, b, c), [
          folder,
          file,
          prompt,
        ] as const);
        if (prompt.length !== 40 || result.passTokens < 40)
          throw new Error(`${graph.name} was not computed in one pass of 40 tokens: ${result.reason}`);
        const name = `${graph.name}: 40 tokens in one pass, WebGPU from WebAssembly (${result.rows} rows)`;
        rows.push(atMost(name, result.difference, "", 1e-3));
      }
      return onAdapter(adapter, rows);
    },
    { gpu },
  );
}

function isFloat32Attention({ folder, file }: ServedGraph): boolean {
  const summary = inspectGraph(parseModel(new Uint8Array(readFileSync(join(folder, file)))));
  const { products, embeddings } = summary.quantized;
  return summary.cache === "shared-cache" && !summary.float16 && products + embeddings === 0;
}

/**
 * On a GPU a pass costs its dispatches, whatever its length. WebAssembly has to compute every
 * token of the pass (this model: 8 of 11 ms in attention, 3 in products), and a step through our runner has next to no
 * overhead to save: 64 steps take as long as the pass. The limit names no device, so that row is held to it, and misses it.
 */
export async function forced(gpuKind: WebGpuDevice): Promise<BenchRow[]> {
  const onWebAssembly = { subject: story, device: "wasm", span: 64, warmUps: 10, rounds: 30 } as const;
  const onGpu = { subject: story, device: "webgpu", span: 64, warmUps: 2, rounds: 7 } as const;
  const { wasm, gpu, adapter } = await onPage(
    async (page, adapter) => ({
      adapter,
      wasm: await page.evaluate((o) => window.decodeBench.engine.forcedSpan(o), onWebAssembly),
      gpu: await page.evaluate((o) => window.decodeBench.engine.forcedSpan(o), onGpu),
    }),
    { gpu: gpuKind },
  );
  const times = (result: ForcedSpanResult) => ratio(result.stepsMs, result.forcedMs);
  return [
    ...forcedRows("WebAssembly", wasm),
    atLeast("WebAssembly: 64 steps over 64 forced tokens", times(wasm), "×", 10),
    ...onAdapter(adapter, [
      ...forcedRows(deviceNames[gpuKind], gpu),
      atLeast(`${deviceNames[gpuKind]}: 64 steps over 64 forced tokens`, times(gpu), "×", 10),
    ]),
  ];
}

function forcedRows(where: string, result: ForcedSpanResult): BenchRow[] {
  const { passes, tokensComputed, forcedMs, stepsMs } = result;
  return [
    exactly(`${where}: 64 forced tokens, forward passes`, passes, "", 1),
    exactly(`${where}: 64 forced tokens, tokens in that pass`, tokensComputed, "", 64),
    figure(`${where}: 64 forced tokens, time, median of ${forcedMs.length} rounds`, median(forcedMs), "ms"),
    figure(`${where}: 64 steps, time, median of ${stepsMs.length} rounds`, median(stepsMs), "ms"),
  ];
}
