/** Describes tests on a real model that is loaded once for all of them. */
import { afterAll, beforeAll, describe } from "vitest";
import { modelFolder } from "../../../scripts/models-folder.ts";
import { openTestModel, type TestModel } from "./test-model.ts";

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

function loadedModel(folder: string, graph: string): () => TestModel {
  let model: TestModel;
  beforeAll(async () => {
    model = await openTestModel(folder, graph);
  });
  afterAll(() => model.dispose());
  return () => model;
}
