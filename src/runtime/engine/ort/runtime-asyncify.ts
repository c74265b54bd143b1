/** The build with Asyncify. load-runtime.ts imports it on demand, so that only the build in use is fetched. */

export { default as wasmUrl } from "onnxruntime-web/ort-wasm-simd-threaded.asyncify.wasm.gz?url";
export * as ort from "onnxruntime-web/webgpu";
