/**
 * Leaves ONNX Runtime out of @huggingface/transformers where our files include that package: it gets the engine's runtime
 * (`src/runtime/engine/transformers/library.ts`), and its own would add 117 kB of unused script.
 */
import type { Plugin } from "rolldown";

const nothing = "\0no-onnxruntime";

export function withoutOnnxRuntime(): Plugin {
  return {
    name: "midtoken-without-runtime",
    resolveId: (source, importer = "") =>
      source === "onnxruntime-web/webgpu" && importer.includes("/@huggingface/transformers/")
        ? nothing
        : null,
    load: (id) => (id === nothing ? "export {};" : null),
  };
}
