/** Describes tests on SmolLM2-135M-Instruct. Apart from `shared-model.ts`: `.ci/run` runs the tests that import this file twice. */
import { describe } from "vitest";
import { modelFolder } from "../../../../scripts/models-folder.ts";
import { sharedModel } from "./shared-model.ts";
import type { RealTestModel } from "./test-model.ts";

/** Reads the model from the folder of test models; without it the tests are skipped, and counted as skipped. */
export function describeOnInstructModel(define: (model: () => RealTestModel) => void): void {
  const folder = modelFolder("smollm2-135m-instruct");
  describe.skipIf(folder === null)("on SmolLM2-135M-Instruct", () => {
    define(sharedModel(folder ?? "", "onnx/model_int8.onnx"));
  });
}
