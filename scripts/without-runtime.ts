/**
 * Leaves ONNX Runtime out of @huggingface/transformers where it is built into our files: there it is given the engine's
 * (`src/runtime/engine/transformers/library.ts`), and its own would be 117 kB of script that nobody calls.
 */
import type { Plugin } from "rolldown";

const nothing = "\0no-onnxruntime";

export function withoutRuntime(): Plugin {
  return {
    name: "midtoken-without-runtime",
    resolveId: (source, importer = "") =>
      source === "onnxruntime-web/webgpu" && importer.includes("/@huggingface/transformers/")
        ? nothing
        : null,
    load: (id) => (id === nothing ? "export {};" : null),
  };
}
