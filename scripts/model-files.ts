/** Which files of a model's folder are served: what the engine asks for (`engine/files/files.ts`), and nothing else. Pure. */

export const modelDescriptions = [
  "config.json",
  "generation_config.json",
  "tokenizer.json",
  "tokenizer_config.json",
  "chat_template.jinja",
];

/** Graphs, and the weights beside them under the names that exporters give. */
const weights = /\.(onnx|onnx_data(_\d+)?|onnx\.data|data|bin|weights?)$/;

/** The above in words. */
export const modelFileKinds = `${modelDescriptions.join(", ")}, and in a folder "onnx" files that end in .onnx, .onnx_data, .data, .bin or .weights`;

/** @param names of the path, for example `["smollm2", "onnx", "model.onnx"]`. */
export function isModelFile(names: readonly string[]): boolean {
  const file = names.at(-1) ?? "";
  return modelDescriptions.includes(file) || (names.slice(0, -1).includes("onnx") && weights.test(file));
}
