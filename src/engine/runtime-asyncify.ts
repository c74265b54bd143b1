/** Loaded on demand by runtime.ts, so that only the build in use is fetched. */

export { default as wasmUrl } from "onnxruntime-web/ort-wasm-simd-threaded.asyncify.wasm?url";
export * as ort from "onnxruntime-web/webgpu";
