/** Makes our own runners. */
import { createWasmRunner } from "../wasm/wasm-runner.ts";
import { createWebGpuRunner } from "../webgpu/webgpu-runner.ts";
import type { Implementation } from "./implementation.ts";

export const own: Implementation = {
  hasKnownPassCost: true,
  onWasm: createWasmRunner,
  onWebGpu: createWebGpuRunner,
};
