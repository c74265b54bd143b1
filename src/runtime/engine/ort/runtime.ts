/**
 * The runtime for WebGPU: onnxruntime-web's build with JSPI where the browser has it (10 MB smaller, faster to
 * load), else the one with Asyncify. WebAssembly models use the plain build directly, see wasm-module.ts: it is
 * the only one with all CPU kernels, and it computes without promises.
 */
import { Mutex } from "../base/mutex.ts";
import { loadGpuRuntime } from "./load-runtime.ts";
import type { WebGpuRuntime } from "./runtime-parts.ts";

let loaded: Promise<WebGpuRuntime> | null = null;

/** The runtime, one copy per page. @throws Error when a file of the runtime cannot be fetched; a later call tries again. */
export function loadWebGpuRuntime(): Promise<WebGpuRuntime> {
  loaded ??= importRuntime().catch((error: unknown) => {
    loaded = null;
    throw error;
  });
  return loaded;
}

async function importRuntime(): Promise<WebGpuRuntime> {
  const build = "Suspending" in WebAssembly ? "jspi" : "asyncify";
  const { ort, wasm, wasmBinary } = await loadGpuRuntime(build);
  // When `wasmPaths` is unset, @huggingface/transformers sets it to a CDN, and the page would fetch code from another
  // origin.
  ort.env.wasm.wasmPaths = { wasm };
  ort.env.wasm.wasmBinary = wasmBinary;
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = "fatal";
  return { ort, build, mutex: new Mutex() };
}
