/** What a build of ONNX Runtime Web is made of. Types only. */
import type * as Ort from "onnxruntime-web";
import type { OrtWasmModule } from "./ort-wasm-module.ts";

/** The plain WebAssembly build. */
export interface PlainRuntime {
  create(options: { readonly numThreads: number; readonly wasmBinary?: ArrayBuffer }): Promise<OrtWasmModule>;
  /** Null in Node, where `create` reads the file beside its script. */
  readonly wasmBinary: ArrayBuffer | null;
}

/** With JSPI, or with Asyncify for browsers that lack it. */
export type GpuBuild = "jspi" | "asyncify";

/** A build for WebGPU. */
export interface GpuRuntime {
  readonly ort: typeof Ort;
  /** Where the binary came from, absolute. */
  readonly wasm: string;
  readonly wasmBinary: ArrayBuffer;
}
