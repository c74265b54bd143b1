/**
 * The runtime for WebGPU: onnxruntime-web's build with JSPI where the browser has it (10 MB smaller, faster to
 * load), else the one with Asyncify. WebAssembly models use the plain build directly, see wasm-module.ts: it is
 * the only one with all CPU kernels, and it computes without promises.
 */
import type * as Ort from "onnxruntime-web";
import { importPart } from "../base/import-part.ts";
import { Mutex } from "./mutex.ts";
import { fetchWasmBinary } from "./wasm-binary.ts";

export interface WebGpuRuntime {
  readonly ort: typeof Ort;
  readonly build: "jspi" | "asyncify";
  /**
   * Everything that calls into the runtime goes through this mutex: the runtime's heap can have one asynchronous call at a
   * time, whatever the session, and two at once break it.
   */
  readonly mutex: Mutex;
}

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
  const jspi = "Suspending" in WebAssembly;
  const { ort, wasmUrl } = await importPart(
    "The runtime for WebGPU",
    () => (jspi ? import("./runtime-jspi.ts") : import("./runtime-asyncify.ts")),
    "ort",
  );
  // When `wasmPaths` is unset, @huggingface/transformers sets it to a CDN, and the page would fetch code from another
  // origin.
  const wasm = new URL(wasmUrl, globalThis.location.href).href;
  ort.env.wasm.wasmPaths = { wasm };
  ort.env.wasm.wasmBinary = await fetchWasmBinary(wasm);
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = "fatal";
  return { ort, build: jspi ? "jspi" : "asyncify", mutex: new Mutex() };
}
