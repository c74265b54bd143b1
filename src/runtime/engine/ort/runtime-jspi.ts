/** The build with JSPI. load-runtime.ts imports it on demand, so that only the build in use is fetched. */
export * as ort from "onnxruntime-web/jspi";
export { default as wasmUrl } from "onnxruntime-web/ort-wasm-simd-threaded.jspi.wasm.gz?url";
