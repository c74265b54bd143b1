/** Where ONNX Runtime and @huggingface/transformers lie for the engine's thread. The npm package puts `src/package/assets/node-runtime-files.ts` in the place of this module. */
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type { ThreadRuntime } from "../../runtime/engine/ort/runtime-parts.ts";

export function runtimeFiles(): ThreadRuntime {
  const { resolve } = createRequire(import.meta.url);
  const addressOf = (specifier: string): string => pathToFileURL(resolve(specifier)).href;
  return {
    script: addressOf("onnxruntime-web/ort-wasm-simd-threaded.mjs"),
    wasm: addressOf("onnxruntime-web/ort-wasm-simd-threaded.wasm"),
    // An instance of its own, which is given the engine's runtime.
    transformers: `${addressOf("@huggingface/transformers")}?midtoken`,
  };
}
