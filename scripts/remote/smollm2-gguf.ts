/** SmolLM2-135M-Instruct as GGUF: the weights of its int8 graph, in float32 (540 MB). */
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { parseModel } from "../../src/runtime/engine/onnx/codec.ts";
import type { Tensor } from "../../src/runtime/engine/onnx/model.ts";
import { tensorBytes } from "../../src/runtime/engine/onnx/tensor.ts";
import { smolLm2SetupHint, smolLm2WithWeights } from "../models-folder.ts";
import { type GgufTensor, type GgufValue, writeGguf } from "./gguf.ts";

interface Config {
  readonly hidden_size: number;
  readonly intermediate_size: number;
  readonly num_attention_heads: number;
  readonly num_key_value_heads: number;
  readonly num_hidden_layers: number;
  readonly max_position_embeddings: number;
  readonly rms_norm_eps: number;
  readonly rope_theta: number;
  readonly vocab_size: number;
}

interface TokenizerFile {
  readonly added_tokens: readonly { readonly id: number; readonly content: string }[];
  readonly model: {
    readonly vocab: Readonly<Record<string, number>>;
    readonly merges: readonly (string | readonly [string, string])[];
  };
}

/** @throws Error if the model's folder is missing. */
export function writeSmolLm2Gguf(path: string): void {
  const folder = smolLm2WithWeights();
  if (folder === null) throw new Error(`SmolLM2 is missing: set ${smolLm2SetupHint}.`);
  const json = <Json>(file: string): Json => JSON.parse(readFileSync(join(folder, file), "utf8"));
  const config = json<Config>("config.json");
  const graph = parseModel(readFileSync(join(folder, "onnx/model_int8.onnx"))).graph;
  const weights = new Map((graph?.initializer ?? []).map((tensor) => [tensor.name ?? "", tensor]));
  const file = openSync(path, "w");
  try {
    writeGguf(metadata(config, json<TokenizerFile>("tokenizer.json")), tensors(config, weights), (bytes) => {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    });
  } finally {
    closeSync(file);
  }
}

function metadata(config: Config, { added_tokens: added, model }: TokenizerFile): Record<string, GgufValue> {
  const uint32 = (value: number): GgufValue => ({ type: "uint32", value });
  const float32 = (value: number): GgufValue => ({ type: "float32", value });
  const texts = new Array<string>(config.vocab_size).fill("");
  for (const [text, id] of Object.entries(model.vocab)) texts[id] = text;
  const special = new Set(added.map(({ id }) => id));
  const normal = 1;
  const control = 3;
  return {
    "general.architecture": { type: "string", value: "llama" },
    "general.name": { type: "string", value: "SmolLM2-135M-Instruct" },
    "llama.context_length": uint32(config.max_position_embeddings),
    "llama.embedding_length": uint32(config.hidden_size),
    "llama.block_count": uint32(config.num_hidden_layers),
    "llama.feed_forward_length": uint32(config.intermediate_size),
    "llama.attention.head_count": uint32(config.num_attention_heads),
    "llama.attention.head_count_kv": uint32(config.num_key_value_heads),
    "llama.attention.layer_norm_rms_epsilon": float32(config.rms_norm_eps),
    "llama.rope.dimension_count": uint32(config.hidden_size / config.num_attention_heads),
    "llama.rope.freq_base": float32(config.rope_theta),
    "tokenizer.ggml.model": { type: "string", value: "gpt2" },
    "tokenizer.ggml.pre": { type: "string", value: "smollm" },
    "tokenizer.ggml.tokens": { type: "strings", value: texts },
    "tokenizer.ggml.token_type": {
      type: "int32s",
      value: texts.map((_, id) => (special.has(id) ? control : normal) as number),
    },
    "tokenizer.ggml.merges": {
      type: "strings",
      value: model.merges.map((merge) => (typeof merge === "string" ? merge : merge.join(" "))),
    },
    "tokenizer.ggml.bos_token_id": uint32(1),
    "tokenizer.ggml.eos_token_id": uint32(2),
    "tokenizer.ggml.add_bos_token": { type: "bool", value: false },
  };
}

function tensors(config: Config, weights: ReadonlyMap<string, Tensor>): GgufTensor[] {
  const { hidden_size: width, intermediate_size: inner, num_hidden_layers: layers } = config;
  const head = width / config.num_attention_heads;
  const kvWidth = head * config.num_key_value_heads;
  const named = (name: string): Tensor => {
    const tensor = weights.get(name);
    if (!tensor) throw new Error(`The graph of SmolLM2 has no "${name}".`);
    return tensor;
  };
  const norm = (name: string, source: string): GgufTensor => ({
    name: `${name}.weight`,
    shape: [width],
    values: () => floats(named(source)),
  });
  const matrix = (
    name: string,
    source: string,
    [rows, columns]: [number, number],
    turn: Turn = plain,
  ): GgufTensor => ({
    name: `${name}.weight`,
    shape: [rows, columns],
    values: () => rowsOf(named(`${source}_q`), named(`${source}_scale`), [rows, columns], turn),
  });
  const blocks = Array.from({ length: layers }, (_, index) => {
    const from = `model.layers.${index}`;
    const to = `blk.${index}`;
    const qkv = `${from}.attn.qkv_proj.MatMul.weight`;
    const turned =
      (first: number): Turn =>
      (row) =>
        first + halvesToPairs(row, head);
    return [
      norm(`${to}.attn_norm`, `${from}.input_layernorm.weight`),
      matrix(`${to}.attn_q`, qkv, [width, width], turned(0)),
      matrix(`${to}.attn_k`, qkv, [kvWidth, width], turned(width)),
      matrix(`${to}.attn_v`, qkv, [kvWidth, width], (row) => width + kvWidth + row),
      matrix(`${to}.attn_output`, `${from}.attn.o_proj.MatMul.weight`, [width, width]),
      norm(`${to}.ffn_norm`, `${from}.post_attention_layernorm.weight`),
      matrix(`${to}.ffn_gate`, `${from}.mlp.gate_proj.MatMul.weight`, [inner, width]),
      matrix(`${to}.ffn_down`, `${from}.mlp.down_proj.MatMul.weight`, [width, inner]),
      matrix(`${to}.ffn_up`, `${from}.mlp.up_proj.MatMul.weight`, [inner, width]),
    ];
  });
  const embedding = matrix("token_embd", "lm_head.MatMul.weight", [config.vocab_size, width]);
  const last = norm("output_norm", `model.layers.${layers}.final_norm_layernorm.weight`);
  return [embedding, ...blocks.flat(), last];
}

/** Maps a row of the GGUF matrix to a column of the graph's matrix. */
type Turn = (row: number) => number;
const plain: Turn = (row) => row;

/** llama.cpp's rotary embedding rotates neighbouring values, the graph's rotates the two halves of a head. */
function halvesToPairs(row: number, head: number): number {
  const within = row % head;
  return row - within + (within % 2) * (head / 2) + Math.floor(within / 2);
}

/** The rows of a matrix that the graph stores as int8 columns with a scale for each column. */
function rowsOf(
  quantized: Tensor,
  scale: Tensor,
  [rows, columns]: [number, number],
  turn: Turn,
): Float32Array {
  const width = quantized.dims[1] ?? 0;
  const bytes = tensorBytes(quantized, new Map());
  const source = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const scales = floats(scale);
  const values = new Float32Array(rows * columns);
  for (let row = 0; row < rows; row++) {
    const from = turn(row);
    const by = scales[from] as number;
    for (let column = 0; column < columns; column++)
      values[row * columns + column] = (source[column * width + from] as number) * by;
  }
  return values;
}

function floats(tensor: Tensor): Float32Array {
  return new Float32Array(Uint8Array.from(tensorBytes(tensor, new Map())).buffer);
}
