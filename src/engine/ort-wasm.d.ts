/** The factory that onnxruntime-web exports for its plain WebAssembly build; the package has no types for it. */
declare module "onnxruntime-web/ort-wasm-simd-threaded.mjs" {
  import type { OrtWasmModule } from "./ort-wasm-module.ts";
  export default function create(options: {
    numThreads: number;
    wasmBinary?: ArrayBuffer;
    /** Address of a file that it names; asked for also where `wasmBinary` is given. */
    locateFile?: (name: string) => string;
  }): Promise<OrtWasmModule>;
}
