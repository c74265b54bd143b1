/** The bundled model as a GGUF file, which llama.cpp reads: made from the checkpoint, since none is in the repository. */
import type { Checkpoint } from "../../../scripts/stories260k/checkpoint.ts";
import type { VocabularyPiece } from "../../../scripts/stories260k/tokenizer-files.ts";
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

/** Rotary pairs are interleaved in llama2.c and in llama.cpp's kind "llama" alike, so the matrices stay as they are. */
export function ggufOf(checkpoint: Checkpoint, pieces: readonly VocabularyPiece[]): Blob {
  const { dim, hiddenDim, layers, heads, kvHeads, vocabulary, sequenceLength } = checkpoint;
  const count = (value: number): GgufValue => ({ type: uint32, value });
  const values: Record<string, GgufValue> = {
    "general.architecture": { type: string, value: "llama" },
    "llama.context_length": count(sequenceLength),
    "llama.embedding_length": count(dim),
    "llama.block_count": count(layers),
    "llama.feed_forward_length": count(hiddenDim),
    "llama.attention.head_count": count(heads),
    "llama.attention.head_count_kv": count(kvHeads),
    "llama.rope.dimension_count": count(dim / heads),
    "llama.vocab_size": count(vocabulary),
    "llama.attention.layer_norm_rms_epsilon": { type: float32, value: 1e-5 },
    "tokenizer.ggml.model": { type: string, value: "llama" },
    "tokenizer.ggml.bos_token_id": count(1),
    "tokenizer.ggml.eos_token_id": count(2),
    "tokenizer.ggml.unknown_token_id": count(0),
    "tokenizer.ggml.tokens": { type: array, of: string, values: pieces.map(entryOf) },
    "tokenizer.ggml.scores": { type: array, of: float32, values: pieces.map(({ score }) => score) },
    "tokenizer.ggml.token_type": { type: array, of: int32, values: pieces.map((_, id) => kindOf(id)) },
  };
  return ggufFile(values, tensorsOf(checkpoint));
}

function entryOf({ text }: VocabularyPiece, id: number): string {
  return ["<unk>", "<s>", "</s>"][id] ?? (id < 259 ? text : text.replaceAll(" ", "▁"));
}

function kindOf(id: number): number {
  if (id === 0) return kinds.unknown;
  if (id <= 2) return kinds.control;
  return id < 259 ? kinds.byte : kinds.normal;
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function tensorsOf({ dim, embedding, finalNorm, layer }: Checkpoint): GgufTensor[] {
  const matrix = (name: string, data: Float32Array, columns: number): GgufTensor => ({
    name: `${name}.weight`,
    dims: [columns, data.length / columns],
    type: "float32",
    bytes: bytesOf(data),
  });
  const vector = (name: string, data: Float32Array): GgufTensor => ({
    name: `${name}.weight`,
    dims: [data.length],
    type: "float32",
    bytes: bytesOf(data),
  });
  return [
    matrix("token_embd", embedding, dim),
    vector("output_norm", finalNorm),
    ...layer.flatMap((each, index) => [
      vector(`blk.${index}.attn_norm`, each.attentionNorm),
      matrix(`blk.${index}.attn_q`, each.wq, dim),
      matrix(`blk.${index}.attn_k`, each.wk, dim),
      matrix(`blk.${index}.attn_v`, each.wv, dim),
      matrix(`blk.${index}.attn_output`, each.wo, dim),
      vector(`blk.${index}.ffn_norm`, each.feedForwardNorm),
      matrix(`blk.${index}.ffn_gate`, each.w1, dim),
      matrix(`blk.${index}.ffn_down`, each.w2, each.w2.length / dim),
      matrix(`blk.${index}.ffn_up`, each.w3, dim),
    ]),
  ];
}
