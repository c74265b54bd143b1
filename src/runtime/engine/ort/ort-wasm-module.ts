/**
 * The C functions that ONNX Runtime's plain WebAssembly build exports. The names are those of onnxruntime-web's own
 * `wasm-types.ts`. The package's version is pinned, and the conformance tests would show a change. Types only.
 */
import type { WeightBytes } from "../base/weight-bytes.ts";

/** Addresses and handles have 32 bits; 0 means none. */
export interface OrtWasmModule {
  readonly HEAPU8: Uint8Array;
  readonly HEAP32: Int32Array;
  readonly HEAPU32: Uint32Array;
  _malloc(bytes: number): number;
  _free(pointer: number): void;
  stackSave(): number;
  stackRestore(stack: number): void;
  stackAlloc(bytes: number): number;
  UTF8ToString(pointer: number): string;
  stringToUTF8(text: string, pointer: number, bytes: number): void;
  lengthBytesUTF8(text: string): number;
  /** The runtime reads `byteLength` of `data`, calls `subarray` once for each tensor, and copies the bytes at once. */
  mountExternalData(path: string, data: WeightBytes): void;
  unmountExternalData(): void;
  _OrtInit(threads: number, logLevel: number): number;
  _OrtGetLastError(code: number, message: number): number;
  _OrtCreateSessionOptions(
    optimization: number,
    arena: boolean,
    memoryPattern: boolean,
    executionMode: number,
    profiling: boolean,
    profilePrefix: number,
    logId: number,
    logSeverity: number,
    logVerbosity: number,
    optimizedModelPath: number,
  ): number;
  _OrtAddSessionConfigEntry(options: number, key: number, value: number): number;
  _OrtReleaseSessionOptions(options: number): number;
  _OrtCreateSession(data: number, bytes: number, options: number): Promise<number> | number;
  _OrtReleaseSession(session: number): number;
  _OrtGetInputOutputCount(session: number, inputs: number, outputs: number): number;
  _OrtGetInputOutputMetadata(session: number, index: number, name: number, metadata: number): number;
  _OrtCreateTensor(
    type: number,
    data: number,
    bytes: number,
    dims: number,
    rank: number,
    location: number,
  ): number;
  _OrtGetTensorData(tensor: number, type: number, data: number, dims: number, rank: number): number;
  _OrtReleaseTensor(tensor: number): number;
  _OrtCreateRunOptions(logSeverity: number, logVerbosity: number, terminate: boolean, tag: number): number;
  _OrtReleaseRunOptions(options: number): number;
  _OrtRun(
    session: number,
    inputNames: number,
    inputs: number,
    inputCount: number,
    outputNames: number,
    outputCount: number,
    outputs: number,
    runOptions: number,
  ): Promise<number> | number;
  _OrtFree(pointer: number): number;
}

/** The plain WebAssembly build. */
export interface PlainRuntime {
  /** A new instance, with its own heap. */
  create(numThreads: number): Promise<OrtWasmModule>;
}
