/** The paths of the package's files for the engine's thread. Replaces `src/package/node/runtime-files.ts` in the npm package. */
import type { NodeRuntimeAddresses } from "../../runtime/engine/ort/runtime-parts.ts";

export function engineThreadRuntimeAddresses(): NodeRuntimeAddresses {
  return {
    script: new URL("./ort-wasm-simd-threaded.js", import.meta.url).href,
    wasm: new URL("./ort-wasm-simd-threaded.wasm.gz", import.meta.url).href,
    transformers: new URL("./transformers.js", import.meta.url).href,
  };
}
