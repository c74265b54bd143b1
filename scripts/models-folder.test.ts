import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { modelFolder, smolLm2WithWeights } from "./models-folder.ts";

const models = mkdtempSync(join(tmpdir(), "midtoken-models-"));
const folder = join(models, "smollm2-135m-instruct");

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(models, { recursive: true, force: true });
});

test("a folder that has SmolLM2's tokenizer alone is no model to measure", () => {
  vi.stubEnv("MIDTOKEN_MODELS", models);
  mkdirSync(join(folder, "onnx"), { recursive: true });
  expect(modelFolder("smollm2-135m-instruct")).toBe(folder);
  expect(smolLm2WithWeights()).toBeNull();
  writeFileSync(join(folder, "onnx/model_int8.onnx"), "");
  expect(smolLm2WithWeights()).toBe(folder);
});
