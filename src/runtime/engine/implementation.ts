/** Who computes the passes of a model. */
import type { GraphRunner, RunnerOptions } from "./graph-runner.ts";
import { createWasmRunner, type WasmGraphRunner } from "./wasm-runner.ts";
import type { WasmRunnerOptions } from "./wasm-session.ts";
import { createWebGpuRunner } from "./webgpu-runner.ts";
import type { WeightFile } from "./weight-file.ts";

export interface Implementation {
  /** @throws UnsupportedGraphError for graph kinds that do not run; Error with the runtime's message when it refuses the graph. */
  onWasm(options: WasmRunnerOptions): Promise<WasmGraphRunner>;
  /** The device becomes the runner's. @throws likewise. */
  onWebGpu(options: RunnerOptions<WeightFile>, device: GPUDevice): Promise<GraphRunner>;
}

/** Our own runners. */
export const own: Implementation = { onWasm: createWasmRunner, onWebGpu: createWebGpuRunner };
