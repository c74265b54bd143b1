/** Makes the runners of a model: our own (`create-model.ts`), or those of @huggingface/transformers (`library-implementation.ts`). */
import type { WeightFile } from "../files/weight-file.ts";
import type { GraphRunner, RunnerOptions, WasmGraphRunner } from "../graph/graph-runner.ts";
import type { WasmRunnerOptions } from "../wasm/wasm-session.ts";

export interface RunnerImplementation {
  /** Whether the pass costs of `graph/pass-cost.ts` hold for its runners. */
  readonly hasKnownPassCost: boolean;
  /** @throws UnsupportedGraphError for graphs that do not run; Error with the runtime's message if the runtime refuses the graph */
  onWasm(options: WasmRunnerOptions): Promise<WasmGraphRunner>;
  /** The runner owns the device. @throws as `onWasm` */
  onWebGpu(options: RunnerOptions<WeightFile>, device: GPUDevice): Promise<GraphRunner>;
}
