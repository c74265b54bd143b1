/** The folder of test models that are not in the repository: the one place from which tests and benches may reach outside it. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";

/**
 * `MIDTOKEN_MODELS`, or null if that is not set. docs/contributing/testing.md lists what the folder contains.
 * @throws Error when `MIDTOKEN_MODELS` names a folder that is not there.
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

/** SmolLM2's folder; null if it or its weights are missing, as on a machine that got the tokenizer alone. */
export function smolLm2WithWeights(): string | null {
  const folder = modelFolder("smollm2-135m-instruct");
  return folder !== null && existsSync(resolve(folder, "onnx/model_int8.onnx")) ? folder : null;
}

/** Names to the user what `smolLm2WithWeights` looks for. */
export const smolLm2Weights =
  "MIDTOKEN_MODELS to a folder that has smollm2-135m-instruct/onnx/model_int8.onnx";

/** A folder that lies beside the models, for example `tokenizers/qwen3-0.6b`; null if it is not there. */
export function folderBesideModels(name: string): string | null {
  const models = modelsFolder();
  return models === null ? null : existing(resolve(models, "..", name));
}

function existing(folder: string): string | null {
  return existsSync(folder) ? folder : null;
}
