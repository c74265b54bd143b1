/** The builds of ONNX Runtime Web and their parts. Types only. */
import type * as Transformers from "@huggingface/transformers";
import type * as Ort from "onnxruntime-web";
import type { Mutex } from "../base/mutex.ts";

/** The build with JSPI, or the build with Asyncify for browsers without JSPI. */
export type GpuBuild = "jspi" | "asyncify";

/** A build for WebGPU. */
export interface GpuRuntime {
  readonly ort: typeof Ort;
  /** The absolute address of the binary. */
  readonly wasm: string;
  readonly wasmBinary: ArrayBuffer;
}

/** The runtime for WebGPU, one copy per page. */
export interface WebGpuRuntime {
  readonly ort: typeof Ort;
  readonly build: GpuBuild;
  /**
   * All calls into the runtime go through this mutex: two asynchronous calls at once, even of different sessions, break the
   * runtime's heap.
   */
  readonly mutex: Mutex;
}

/** The used part of @huggingface/transformers. */
export type TransformersPackage = Pick<
  typeof Transformers,
  "AutoConfig" | "AutoModelForCausalLM" | "AutoModelForImageTextToText" | "DynamicCache" | "Tensor" | "env"
>;

/** The addresses (file://…) from which a Node thread loads ONNX Runtime and @huggingface/transformers: scripts and binary. */
export interface NodeRuntimeAddresses {
  readonly script: string;
  readonly wasm: string;
  readonly transformers: string;
}
