/** Loads ONNX Runtime in the engine's thread. Replaces `src/runtime/engine/ort/load-runtime.ts` there, because the thread's program is a text without a file of its own. */
import { once } from "node:events";
import { workerData } from "node:worker_threads";
import { type CreateInstance, runtimeOfModule } from "../../runtime/engine/ort/compiled-runtime.ts";
import type { PlainRuntime } from "../../runtime/engine/ort/ort-wasm-module.ts";
import type { GpuRuntime, TransformersPackage } from "../../runtime/engine/ort/runtime-parts.ts";
import type { EngineThreadData, WasmCompileReply } from "./engine-thread-data.ts";

const { runtime, compiler } = workerData as EngineThreadData;

/** @throws Error when a file of the runtime cannot be read. */
export async function loadPlainRuntime(): Promise<PlainRuntime> {
  const [script, module] = await Promise.all([
    import(
      /* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ runtime.script
    ) as Promise<{
      default: CreateInstance;
    }>,
    askForModule(),
  ]);
  return runtimeOfModule(script.default, module);
}

/** The process compiles the binary once for all of its engine threads. */
async function askForModule(): Promise<WebAssembly.Module> {
  compiler.postMessage("compile");
  const [reply] = (await once(compiler, "message")) as [WasmCompileReply];
  if (reply.type === "failed") throw new Error(reply.message);
  return reply.module;
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
