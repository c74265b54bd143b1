/** Loaded on demand by runtime.ts, so that only the build in use is fetched. */
export * as ort from "onnxruntime-web/jspi";
export { default as wasmUrl } from "onnxruntime-web/ort-wasm-simd-threaded.jspi.wasm?url";
