/** ONNX Runtime in the engine's thread. Stands there for `src/engine/load-runtime.ts`: the thread's program is a text without a place of its own. */
import { readFile } from "node:fs/promises";
import { workerData } from "node:worker_threads";
import { gunzipSync } from "node:zlib";
import { type CreateInstance, compiledRuntime } from "../engine/compiled-runtime.ts";
import type { GpuRuntime, PlainRuntime, TransformersPackage } from "../engine/runtime-parts.ts";
import type { EngineThreadData } from "./engine-thread-data.ts";

const { runtime } = workerData as EngineThreadData;

/** @throws Error when a file of the runtime cannot be read. */
export async function loadPlainRuntime(): Promise<PlainRuntime> {
  const script = (await import(
    /* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ runtime.script
  )) as { default: CreateInstance };
  const bytes = await readFile(new URL(runtime.wasm));
  // The npm package has the binary packed.
  const binary = runtime.wasm.endsWith(".gz") ? gunzipSync(bytes) : bytes;
  return compiledRuntime(script.default, new Uint8Array(binary));
}

export async function loadGpuRuntime(): Promise<GpuRuntime> {
  throw new Error("Node has no WebGPU: choose WebAssembly.");
}

/** @throws Error when the package cannot be read. */
export async function loadTransformers(): Promise<TransformersPackage> {
  return (await import(
    /* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ runtime.transformers
  )) as TransformersPackage;
}
