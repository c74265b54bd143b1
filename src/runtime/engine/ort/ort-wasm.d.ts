/** The factory that onnxruntime-web exports for its plain WebAssembly build; the package has no types for it. */
declare module "onnxruntime-web/ort-wasm-simd-threaded.mjs" {
  import type { CreateInstance } from "./compiled-runtime.ts";

  const create: CreateInstance;
  export default create;
}
