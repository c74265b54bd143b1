/** SmolLM2-135M as a GGUF file with 4-bit weights: the very blocks that `npm run models -- make smollm2-135m` puts into its ONNX file. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { generatedFolder } from "../../../scripts/models/generated.ts";
import { int8Weights } from "../../../scripts/models/int8-file.ts";
import { blockSize, float16Bits, quantizeSymmetric } from "../../../scripts/models/quantize.ts";
import { type DecoderShape, namedShapes } from "../../../scripts/models/shapes.ts";
import type { WeightSource } from "../../../scripts/models/weights.ts";
import { type Matrix, matrix as matrixOf } from "../../../scripts/stories260k/matrix.ts";
import {
  array,
  float32,
  type GgufTensor,
  type GgufValue,
  ggufFile,
  int32,
  kinds,
  string,
  uint32,
} from "./gguf-file.ts";

/**
 * Writes the file beside the generated model, unless it is there, and returns its path.
 * @param source SmolLM2's folder, with its int8 weights and its tokenizer
 */
export async function smolLm2Gguf(source: string): Promise<string> {
  const path = join(generatedFolder("smollm2-135m"), "smollm2-135m-q4_0.gguf");
  if (existsSync(path)) return path;
  const { shape } = namedShapes["smollm2-135m"];
  const weights = int8Weights(new Uint8Array(readFileSync(join(source, "onnx/model_int8.onnx"))));
  const tokenizer = JSON.parse(readFileSync(join(source, "tokenizer.json"), "utf8")) as TokenizerJson;
  const file = ggufFile({ ...sizesOf(shape), ...tokenizerOf(tokenizer) }, tensorsOf(shape, weights));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.part`, new Uint8Array(await file.arrayBuffer()));
  renameSync(`${path}.part`, path);
  return path;
}

interface TokenizerJson {
  readonly model: {
    readonly vocab: Readonly<Record<string, number>>;
    readonly merges: readonly (string | readonly [string, string])[];
  };
  readonly added_tokens: readonly { readonly id: number; readonly content: string }[];
}

const count = (value: number): GgufValue => ({ type: uint32, value });

function sizesOf(shape: DecoderShape): Record<string, GgufValue> {
  return {
    "general.architecture": { type: string, value: "llama" },
    "llama.context_length": count(shape.context),
    "llama.embedding_length": count(shape.hidden),
    "llama.block_count": count(shape.layers),
    "llama.feed_forward_length": count(shape.intermediate),
    "llama.attention.head_count": count(shape.heads),
    "llama.attention.head_count_kv": count(shape.keyValueHeads),
    "llama.rope.dimension_count": count(shape.headSize),
    "llama.rope.freq_base": { type: float32, value: shape.rotaryTheta },
    "llama.vocab_size": count(shape.vocabulary),
    "llama.attention.layer_norm_rms_epsilon": { type: float32, value: shape.epsilon },
  };
}

function tokenizerOf({ model, added_tokens }: TokenizerJson): Record<string, GgufValue> {
  const tokens: string[] = [];
  for (const [text, id] of Object.entries(model.vocab)) tokens[id] = text;
  const control = new Set(added_tokens.map(({ id }) => id));
  for (const { id, content } of added_tokens) tokens[id] = content;
  const merges = model.merges.map((merge) => (typeof merge === "string" ? merge : merge.join(" ")));
  const types = tokens.map((_, id) => (control.has(id) ? kinds.control : kinds.normal));
  return {
    "tokenizer.ggml.model": { type: string, value: "gpt2" },
    "tokenizer.ggml.pre": { type: string, value: "smollm" },
    "tokenizer.ggml.bos_token_id": count(1),
    "tokenizer.ggml.eos_token_id": count(2),
    "tokenizer.ggml.tokens": { type: array, of: string, values: tokens },
    "tokenizer.ggml.token_type": { type: array, of: int32, values: types },
    "tokenizer.ggml.merges": { type: array, of: string, values: merges },
  };
}

function tensorsOf(shape: DecoderShape, weights: WeightSource): GgufTensor[] {
  const { layers, hidden, intermediate, heads, keyValueHeads, headSize, vocabulary } = shape;
  const keyRows = keyValueHeads * headSize;
  const norm = (name: string, from: string): GgufTensor => {
    const { buffer, byteOffset, byteLength } = weights.norm(from, hidden);
    return { name, dims: [hidden], type: "float32", bytes: new Uint8Array(buffer, byteOffset, byteLength) };
  };
  const product = (name: string, from: string, rows: number, columns: number) =>
    q4_0(name, weights.matrix(from, rows, columns));
  // The output shares the embedding's weights, as llama.cpp takes it where there are none of its own.
  const tensors = [
    product("token_embd.weight", "lm_head", vocabulary, hidden),
    norm("output_norm.weight", `model.layers.${layers}.final_norm_layernorm`),
  ];
  for (let index = 0; index < layers; index++) {
    const [layer, block] = [`model.layers.${index}`, `blk.${index}`];
    const joined = weights.matrix(`${layer}.attn.qkv_proj`, heads * headSize + 2 * keyRows, hidden);
    const query = rowsOf(joined, 0, heads * headSize);
    const key = rowsOf(joined, heads * headSize, keyRows);
    tensors.push(
      norm(`${block}.attn_norm.weight`, `${layer}.input_layernorm`),
      q4_0(`${block}.attn_q.weight`, interleaved(query, headSize)),
      q4_0(`${block}.attn_k.weight`, interleaved(key, headSize)),
      q4_0(`${block}.attn_v.weight`, rowsOf(joined, heads * headSize + keyRows, keyRows)),
      product(`${block}.attn_output.weight`, `${layer}.attn.o_proj`, hidden, heads * headSize),
      norm(`${block}.ffn_norm.weight`, `${layer}.post_attention_layernorm`),
      product(`${block}.ffn_gate.weight`, `${layer}.mlp.gate_proj`, intermediate, hidden),
      product(`${block}.ffn_up.weight`, `${layer}.mlp.up_proj`, intermediate, hidden),
      product(`${block}.ffn_down.weight`, `${layer}.mlp.down_proj`, hidden, intermediate),
    );
  }
  return tensors;
}

function rowsOf({ columns, values }: Matrix, first: number, rows: number): Matrix {
  return matrixOf(rows, columns, values.slice(first * columns, (first + rows) * columns));
}

/** llama.cpp turns neighbouring rows of a head against one another, Hugging Face a row of its first half and one of its second. */
function interleaved({ rows, columns, values }: Matrix, headSize: number): Matrix {
  const result = new Float32Array(values.length);
  for (let row = 0; row < rows; row++) {
    const place = row % headSize;
    const from = row - place + Math.floor(place / 2) + (place % 2) * (headSize / 2);
    result.set(values.subarray(from * columns, (from + 1) * columns), row * columns);
  }
  return matrixOf(rows, columns, result);
}

/** Blocks of 32: a float16 scale, then the levels of values i and i + 16 in one byte (`block_q4_0` of ggml-common.h). */
function q4_0(name: string, matrix: Matrix): GgufTensor {
  const { rows, columns, levels, scales } = quantizeSymmetric(matrix, 4);
  const half = blockSize / 2;
  const bytes = new Uint8Array(scales.length * (2 + half));
  const view = new DataView(bytes.buffer);
  for (const [block, scale] of scales.entries()) {
    const at = block * (2 + half);
    view.setUint16(at, float16Bits(scale), true);
    for (let i = 0; i < half; i++) {
      const [low, high] = [levels[block * blockSize + i], levels[block * blockSize + half + i]];
      bytes[at + 2 + i] = (low as number) | ((high as number) << 4);
    }
  }
  return { name, dims: [columns, rows], type: "q4_0", bytes };
}
