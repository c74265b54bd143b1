/** The plain WebAssembly build, for browsers. Node has no addresses of bundled files, so it reads the binary itself. */
export { default as create } from "onnxruntime-web/ort-wasm-simd-threaded.mjs";
export { default as wasmUrl } from "onnxruntime-web/ort-wasm-simd-threaded.wasm.gz?url";
