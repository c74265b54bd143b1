/** Describes tests on a real model. */
import { beforeAll, describe } from "vitest";
import { modelFolder } from "../../../../scripts/models-folder.ts";
import { type ExportedModel, openExportedModel } from "./exported-model.ts";
import { type TestModel, testModel } from "./test-model.ts";

export function describeBundled(define: (model: () => TestModel) => void): void {
  describe("on the bundled story model", () => {
    define(loadedModel("public/models/stories260k", "onnx/model.onnx"));
  });
}

/** SmolLM2-135M-Instruct, of the folder of test models: without it the tests are skipped, and counted as that. */
export function describeInstruct(define: (model: () => TestModel) => void): void {
  const folder = modelFolder("smollm2-135m-instruct");
  describe.skipIf(folder === null)("on SmolLM2-135M-Instruct", () => {
    define(loadedModel(folder ?? "", "onnx/model_int8.onnx"));
  });
}

/** By folder. Files of tests share their worker, and what it imported (vite.config.ts). */
const opened = new Map<string, Promise<ExportedModel>>();

/**
 * Loaded once for all files of a worker: loading takes longer than most tests. Each file begins with an empty KV cache, since the
 * rounding of a quantized graph depends on how a prompt was split into passes.
 */
function loadedModel(folder: string, graph: string): () => TestModel {
  let model: TestModel;
  beforeAll(async () => {
    const exported = opened.get(folder) ?? openExportedModel(folder, graph);
    opened.set(folder, exported);
    (await exported).forget();
    model = testModel(await exported);
  });
  return () => model;
}
