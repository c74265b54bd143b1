/** Makes the runners of a model: our own ones (`own-implementation.ts`), or those of @huggingface/transformers. */
import type { WeightFile } from "../files/weight-file.ts";
import type { GraphRunner, RunnerOptions, WasmGraphRunner } from "../graph/graph-runner.ts";
import type { WasmRunnerOptions } from "../wasm/wasm-session.ts";

export interface Implementation {
  /** The pass costs of `graph/pass-cost.ts` hold for its runners. */
  readonly hasKnownPassCost: boolean;
  /** @throws UnsupportedGraphError for graph kinds that do not run; Error with the runtime's message when it refuses the graph. */
  onWasm(options: WasmRunnerOptions): Promise<WasmGraphRunner>;
  /** The device becomes the runner's. @throws likewise. */
  onWebGpu(options: RunnerOptions<WeightFile>, device: GPUDevice): Promise<GraphRunner>;
}
