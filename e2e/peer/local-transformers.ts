/** @huggingface/transformers on files of this server alone, with the same runtime as ours. */
import { env } from "@huggingface/transformers";

/** `models`: the folder below which models are found by their names; ends in `/`. */
export function readLocalModels(models: string, threads = 1): void {
  env.allowRemoteModels = false;
  env.allowLocalModels = true;
  env.localModelPath = models;
  env.useBrowserCache = false;
  if (env.backends.onnx.wasm) {
    env.backends.onnx.wasm.wasmPaths = new URL("/node_modules/onnxruntime-web/dist/", location.href).href;
    env.backends.onnx.wasm.numThreads = threads;
  }
}
