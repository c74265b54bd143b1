/** Where the files of the package lie for the engine's thread. Stands in the npm package for `src/package/node/runtime-files.ts`. */
import type { ThreadRuntime } from "../../runtime/engine/ort/runtime-parts.ts";

export function runtimeFiles(): ThreadRuntime {
  return {
    script: new URL("./ort-wasm-simd-threaded.js", import.meta.url).href,
    wasm: new URL("./ort-wasm-simd-threaded.wasm.gz", import.meta.url).href,
    transformers: new URL("./transformers.js", import.meta.url).href,
  };
}
