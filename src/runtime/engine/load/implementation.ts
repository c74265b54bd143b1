/** Who computes the passes of a model. */

import type { WeightFile } from "../files/weight-file.ts";
import type { GraphRunner, RunnerOptions } from "../graph/graph-runner.ts";
import { createWasmRunner, type WasmGraphRunner } from "../wasm/wasm-runner.ts";
import type { WasmRunnerOptions } from "../wasm/wasm-session.ts";
import { createWebGpuRunner } from "../webgpu/webgpu-runner.ts";

export interface Implementation {
  /** @throws UnsupportedGraphError for graph kinds that do not run; Error with the runtime's message when it refuses the graph. */
  onWasm(options: WasmRunnerOptions): Promise<WasmGraphRunner>;
  /** The device becomes the runner's. @throws likewise. */
  onWebGpu(options: RunnerOptions<WeightFile>, device: GPUDevice): Promise<GraphRunner>;
}

/** Our own runners. */
export const own: Implementation = { onWasm: createWasmRunner, onWebGpu: createWebGpuRunner };
