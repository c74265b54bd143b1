/**
 * The runtime for WebGPU: onnxruntime-web's build with JSPI if the browser supports it (10 MB smaller, faster to load), else
 * the build with Asyncify. Models on WebAssembly use the plain build (wasm-module.ts): it is the only build with all CPU
 * kernels, and it computes synchronously.
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
  // If `wasmPaths` were unset, @huggingface/transformers would set it to a CDN, and the page would fetch code from another
  // origin.
  ort.env.wasm.wasmPaths = { wasm };
  ort.env.wasm.wasmBinary = wasmBinary;
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = "fatal";
  return { ort, build, mutex: new Mutex() };
}
