/** Writes a generated model as a folder in Hugging Face layout. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { dtypeSuffixes } from "../../src/runtime/engine/base/dtype.ts";
import { encodeModel } from "../../src/runtime/engine/onnx/codec.ts";
import { folderBesideModels, modelFolder } from "../models-folder.ts";
import { createTensorDataFile } from "./data-file.ts";
import { decoderGraph, type Precision } from "./graph.ts";
import { int8Weights } from "./int8-file.ts";
import { type DecoderShape, type GeneratedModelName, type NamedShape, namedShapes } from "./shapes.ts";
import { randomWeights, type WeightSource } from "./weights.ts";

export interface GeneratedModelFolderOptions {
  readonly name: GeneratedModelName;
  readonly folder: string;
  readonly precisions: readonly Precision[];
  /** Number of layers instead of the shape's own; fewer layers make a smaller model. */
  readonly layers?: number | undefined;
  /** Seed of random weights; 1 unless given. */
  readonly seed?: number;
  /** Called for each file that was written. */
  readonly onFile?: (path: string, bytes: number) => void;
}

/** @throws Error if a file outside the repository (tokenizer, real weights) is needed and missing */
export function writeModelFolder({
  name,
  folder,
  precisions,
  layers,
  seed = 1,
  onFile,
}: GeneratedModelFolderOptions): void {
  const named: NamedShape = namedShapes[name];
  const shape: DecoderShape = { ...named.shape, layers: layers ?? named.shape.layers };
  const tokenizer = tokenizerFolder(named.tokenizer);
  const source = name === "smollm2-135m" ? realWeights() : randomWeights(seed);
  mkdirSync(join(folder, "onnx"), { recursive: true });
  for (const file of tokenizerFiles) {
    if (existsSync(join(tokenizer, file))) copyFileSync(join(tokenizer, file), join(folder, file));
  }
  const config = JSON.parse(readFileSync(join(tokenizer, "config.json"), "utf8")) as Record<string, unknown>;
  writeFileSync(join(folder, "config.json"), `${JSON.stringify(configOf(shape, config), null, 2)}\n`);
  for (const precision of precisions) writeGraph(folder, shape, source, precision, onFile);
}

/** Path of the graph in this precision. */
export function graphFilePath(folder: string, precision: Precision): string {
  return join(folder, `onnx/model${dtypeSuffixes[precision]}.onnx`);
}

const tokenizerFiles = [
  "tokenizer.json",
  "tokenizer_config.json",
  "special_tokens_map.json",
  "generation_config.json",
  "chat_template.jinja",
];

function tokenizerFolder(name: NamedShape["tokenizer"]): string {
  if (name === "stories260k") return join(import.meta.dirname, "../../public/models/stories260k");
  const found =
    name === "smollm2" ? modelFolder("smollm2-135m-instruct") : folderBesideModels("tokenizers/qwen3-0.6b");
  if (found !== null) return found;
  throw new Error(
    `The tokenizer of ${name} is not in this repository: set MIDTOKEN_MODELS to the folder of test models.`,
  );
}

function realWeights(): WeightSource {
  const folder = modelFolder("smollm2-135m-instruct");
  if (folder === null) {
    throw new Error(
      "The real weights are not in this repository: set MIDTOKEN_MODELS to the folder of test models.",
    );
  }
  return int8Weights(new Uint8Array(readFileSync(join(folder, "onnx/model_int8.onnx"))));
}

/** The sizes of the shape; fields that depend on the tokenizer come from its own config.json. */
function configOf(
  shape: DecoderShape,
  { bos_token_id, eos_token_id, pad_token_id }: Record<string, unknown>,
): object {
  return {
    architectures: [shape.headNorms ? "Qwen3ForCausalLM" : "LlamaForCausalLM"],
    bos_token_id,
    eos_token_id,
    head_dim: shape.headSize,
    hidden_act: "silu",
    hidden_size: shape.hidden,
    intermediate_size: shape.intermediate,
    max_position_embeddings: shape.context,
    model_type: shape.headNorms ? "qwen3" : "llama",
    num_attention_heads: shape.heads,
    num_hidden_layers: shape.layers,
    num_key_value_heads: shape.keyValueHeads,
    pad_token_id,
    rms_norm_eps: shape.epsilon,
    rope_scaling: null,
    rope_theta: shape.rotaryTheta,
    tie_word_embeddings: true,
    torch_dtype: "float32",
    use_cache: true,
    vocab_size: shape.vocabulary,
    // @huggingface/transformers fetches external data only if this field names it.
    "transformers.js_config": {
      use_external_data_format: true,
      kv_cache_dtype: { q4f16: "float16", fp16: "float16" },
    },
  };
}

function writeGraph(
  folder: string,
  shape: DecoderShape,
  source: WeightSource,
  precision: Precision,
  onFile: GeneratedModelFolderOptions["onFile"],
): void {
  const path = graphFilePath(folder, precision);
  const location = `${basename(path)}_data`;
  const data = createTensorDataFile(`${path}_data.part`, location);
  try {
    const bytes = encodeModel(decoderGraph(shape, source, precision, data));
    data.close();
    renameSync(`${path}_data.part`, `${path}_data`);
    // The graph is renamed last: if it exists, all files are complete.
    writeFileSync(`${path}.part`, bytes);
    renameSync(`${path}.part`, path);
    onFile?.(path, bytes.length);
    onFile?.(`${path}_data`, data.length);
  } catch (error) {
    data.close();
    throw error;
  }
}
