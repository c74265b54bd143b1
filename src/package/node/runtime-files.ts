/** The addresses of ONNX Runtime and @huggingface/transformers for the engine's thread. In the npm package, `src/package/assets/node-runtime-files.ts` replaces this module. */
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type { NodeRuntimeAddresses } from "../../runtime/engine/ort/runtime-parts.ts";

export function engineThreadRuntimeAddresses(): NodeRuntimeAddresses {
  const { resolve } = createRequire(import.meta.url);
  const addressOf = (specifier: string): string => pathToFileURL(resolve(specifier)).href;
  return {
    script: addressOf("onnxruntime-web/ort-wasm-simd-threaded.mjs"),
    wasm: addressOf("onnxruntime-web/ort-wasm-simd-threaded.wasm"),
    // The query makes it a copy of its own, which gets the engine's runtime.
    transformers: `${addressOf("@huggingface/transformers")}?midtoken`,
  };
}
