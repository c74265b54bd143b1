/**
 * V8 compiles a function of WebAssembly again, optimized, when it has run for so many bytes; the default is 1,800,000. Each engine
 * has its own instance of onnxruntime, and tests open hundreds of engines with a model of 260,000 parameters: optimizing takes
 * longer there than it saves. A model of 135 million parameters spends this budget with its first tokens.
 */
export const lateWasmOptimization = "--wasm-tiering-budget=200000000";
