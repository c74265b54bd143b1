/**
 * Fetches a build of ONNX Runtime Web for the page, where Vite gives each script and binary an address. In the npm package,
 * `src/package/assets/load-runtime.ts` replaces this module.
 */
import { importProgramPart } from "../../../core/base/import-part.ts";
import { compileRuntime } from "./compiled-runtime.ts";
import type { PlainRuntime } from "./ort-wasm-module.ts";
import type { GpuBuild, GpuRuntime, TransformersPackage } from "./runtime-parts.ts";
import { fetchWasmBinary } from "./wasm-binary.ts";

/** @throws Error when a file of the runtime cannot be fetched. */
export async function loadPlainRuntime(): Promise<PlainRuntime> {
  if (globalThis.location === undefined) {
    const { default: create } = await import("onnxruntime-web/ort-wasm-simd-threaded.mjs");
    return compileRuntime(create, await readPackageFile("onnxruntime-web/ort-wasm-simd-threaded.wasm"));
  }
  const load = () => import("./runtime-wasm.ts");
  const { create, wasmUrl } = await importProgramPart("The runtime for WebAssembly", load, "create");
  return compileRuntime(create, await fetchWasmBinary(wasmUrl));
}

/** Reads a file of an installed package, in Node. */
async function readPackageFile(specifier: string): Promise<Uint8Array<ArrayBuffer>> {
  // `getBuiltinModule` instead of an import, because the page's bundle cannot contain these modules.
  const { createRequire } = process.getBuiltinModule("node:module");
  const { readFile } = process.getBuiltinModule("node:fs/promises");
  return new Uint8Array(await readFile(createRequire(import.meta.url).resolve(specifier)));
}

/** @throws Error when a file of the runtime cannot be fetched. */
export async function loadGpuRuntime(build: GpuBuild): Promise<GpuRuntime> {
  const { ort, wasmUrl } = await importProgramPart(
    "The runtime for WebGPU",
    () => (build === "jspi" ? import("./runtime-jspi.ts") : import("./runtime-asyncify.ts")),
    "ort",
  );
  const wasm = new URL(wasmUrl, globalThis.location.href).href;
  return { ort, wasm, wasmBinary: await fetchWasmBinary(wasm) };
}

/** Each evaluation of this module loads its own copy of the library: the runtime of another one would not fit. */
const copy = `midtoken-${performance.now()}`;

/**
 * A copy of @huggingface/transformers for this engine only, because it takes the engine's runtime when it is imported.
 * @throws Error if it cannot be fetched
 */
export async function loadTransformers(): Promise<TransformersPackage> {
  const name = "@huggingface/transformers";
  if (globalThis.location === undefined) {
    return (await import(/* @vite-ignore */ `${import.meta.resolve(name)}?${copy}`)) as TransformersPackage;
  }
  return importProgramPart(name, () => import("./transformers-package.ts"), "AutoModelForCausalLM");
}
