/** Real models for tests, loaded once for all test files of a worker. */
import { beforeAll, describe } from "vitest";
import { type ExportedModel, openExportedModel } from "./exported-model.ts";
import { asRealTestModel, type RealTestModel } from "./test-model.ts";

export function describeOnBundledModel(define: (model: () => RealTestModel) => void): void {
  describe("on the bundled story model", () => {
    define(sharedModel("public/models/stories260k", "onnx/model.onnx"));
  });
}

/** By folder. Test files share their worker, and its modules (vite.config.ts). */
const opened = new Map<string, Promise<ExportedModel>>();

/**
 * Loaded once for all files of a worker, because loading takes longer than most tests. Each file begins with an empty KV cache:
 * the rounding of a quantized graph depends on how a prompt was split into passes.
 */
export function sharedModel(folder: string, graph: string): () => RealTestModel {
  let model: RealTestModel;
  beforeAll(async () => {
    const exported = opened.get(folder) ?? openExportedModel(folder, graph);
    opened.set(folder, exported);
    (await exported).forget();
    model = asRealTestModel(await exported);
  });
  return () => model;
}
