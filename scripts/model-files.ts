/** The files of a model's folder that are served: the files that the engine requests (`engine/files/files.ts`), and no others. Pure. */

export const modelMetadataFileNames = [
  "config.json",
  "generation_config.json",
  "tokenizer.json",
  "tokenizer_config.json",
  "chat_template.jinja",
];

/** Graphs, and weights beside them under the names that exporters use. */
const weights = /\.(onnx|onnx_data(_\d+)?|onnx\.data|data|bin|weights?)$/;

/** The same for error messages. */
export const modelFileKindsText = `${modelMetadataFileNames.join(", ")}, and in a folder "onnx" files that end in .onnx, .onnx_data, .data, .bin or .weights`;

/** @param names path of the file, for example `["smollm2", "onnx", "model.onnx"]` */
export function isModelFile(names: readonly string[]): boolean {
  const file = names.at(-1) ?? "";
  return modelMetadataFileNames.includes(file) || (names.slice(0, -1).includes("onnx") && weights.test(file));
}
