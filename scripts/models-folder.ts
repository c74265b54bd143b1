/** The folder of test models outside the repository: the only place from which tests and benches may read outside files. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";

/**
 * The folder in `MIDTOKEN_MODELS`; null if the variable is not set. docs/contributing/testing.md lists the contents. @throws
 * Error if the folder does not exist
 */
export function modelsFolder(): string | null {
  const given = process.env.MIDTOKEN_MODELS;
  if (!given) return null;
  if (!existsSync(given))
    throw new Error(`MIDTOKEN_MODELS is ${given}, and no folder is there. Correct it or unset it.`);
  return resolve(given);
}

/** A folder of the models, for example `smollm2-135m-instruct`; null if it is not there. */
export function modelFolder(name: string): string | null {
  const models = modelsFolder();
  return models === null ? null : existing(resolve(models, name));
}

/** SmolLM2's folder; null if the folder or its weights are missing, for example on a machine that has only the tokenizer. */
export function smolLm2WithWeights(): string | null {
  const folder = modelFolder("smollm2-135m-instruct");
  return folder !== null && existsSync(resolve(folder, "onnx/model_int8.onnx")) ? folder : null;
}

/** The files that `smolLm2WithWeights` looks for, in a message for the user. */
export const smolLm2SetupHint =
  "MIDTOKEN_MODELS to a folder that has smollm2-135m-instruct/onnx/model_int8.onnx";

/** A folder beside the folder of models, for example `tokenizers/qwen3-0.6b`; null if it does not exist. */
export function folderBesideModels(name: string): string | null {
  const models = modelsFolder();
  return models === null ? null : existing(resolve(models, "..", name));
}

function existing(folder: string): string | null {
  return existsSync(folder) ? folder : null;
}
