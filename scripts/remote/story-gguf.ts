/** The bundled story model as GGUF: the same weights, in float32. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Checkpoint, readCheckpoint } from "../stories260k/checkpoint.ts";
import { readVocabularyPieces } from "../stories260k/tokenizer-files.ts";
import { type GgufTensor, type GgufValue, writeGguf } from "./gguf.ts";

const source = join(import.meta.dirname, "../stories260k/source");

/** llama.cpp's token types. */
const tokenTypes = { normal: 1, unknown: 2, control: 3, byte: 6 } as const;

/**
 * The complete file, about 1 MB.
 * @param vocabulary more tokens than the model's own 512, for tests that need a large vocabulary: the further
 *   tokens are copies of the model's own, and every token is less certain than in the model
 */
export function storyGguf(vocabulary = 512): Uint8Array {
  const checkpoint = withVocabulary(
    readCheckpoint(readFileSync(join(source, "stories260K.bin"))),
    vocabulary,
  );
  const pieces: Uint8Array[] = [];
  writeGguf(metadata(checkpoint), tensors(checkpoint), (bytes) => pieces.push(bytes));
  return Buffer.concat(pieces);
}

function withVocabulary(checkpoint: Checkpoint, vocabulary: number): Checkpoint {
  const { dim, embedding, finalNorm } = checkpoint;
  if (vocabulary === checkpoint.vocabulary) return checkpoint;
  const own = checkpoint.vocabulary * dim;
  const longer = Float32Array.from({ length: vocabulary * dim }, (_, place) => {
    const copied = embedding[place % own] as number;
    return place < own ? copied : copied * (0.8 + ((place * 7919) % 1009) / 5_000);
  });
  return { ...checkpoint, vocabulary, embedding: longer, finalNorm: finalNorm.map((each) => each / 3) };
}

function metadata(checkpoint: Checkpoint): Record<string, GgufValue> {
  const { dim, hiddenDim, layers, heads, kvHeads, sequenceLength } = checkpoint;
  const uint32 = (value: number): GgufValue => ({ type: "uint32", value });
  const float32 = (value: number): GgufValue => ({ type: "float32", value });
  const own = readVocabularyPieces(readFileSync(join(source, "tok512.bin")));
  const further = Array.from({ length: checkpoint.vocabulary - own.length }, (_, place) => ({
    text: `further${place}`,
    score: -1e6,
  }));
  const pieces = [...own, ...further];
  const names = ["<unk>", "<s>", "</s>"];
  const texts = pieces.map(
    ({ text }, id) => names[id] ?? (id < firstPiece ? text : text.replaceAll(" ", "▁")),
  );
  return {
    "general.architecture": { type: "string", value: "llama" },
    "general.name": { type: "string", value: "stories260K" },
    "llama.context_length": uint32(sequenceLength),
    "llama.embedding_length": uint32(dim),
    "llama.block_count": uint32(layers),
    "llama.feed_forward_length": uint32(hiddenDim),
    "llama.attention.head_count": uint32(heads),
    "llama.attention.head_count_kv": uint32(kvHeads),
    "llama.attention.layer_norm_rms_epsilon": float32(1e-5),
    "llama.rope.dimension_count": uint32(dim / heads),
    "llama.rope.freq_base": float32(10_000),
    "tokenizer.ggml.model": { type: "string", value: "llama" },
    "tokenizer.ggml.tokens": { type: "strings", value: texts },
    "tokenizer.ggml.scores": { type: "float32s", value: pieces.map(({ score }) => score) },
    "tokenizer.ggml.token_type": { type: "int32s", value: pieces.map((_, id) => tokenType(id)) },
    "tokenizer.ggml.bos_token_id": uint32(1),
    "tokenizer.ggml.eos_token_id": uint32(2),
    // The token that ends a story is also the token that begins a story.
    "tokenizer.ggml.eot_token_id": uint32(1),
    "tokenizer.ggml.unknown_token_id": uint32(0),
    "tokenizer.ggml.add_bos_token": { type: "bool", value: true },
  };
}

/** The tokens before the first piece: three special tokens and 256 bytes. */
const firstPiece = 259;

function tokenType(id: number): number {
  if (id === 0) return tokenTypes.unknown;
  if (id < 3) return tokenTypes.control;
  return id < firstPiece ? tokenTypes.byte : tokenTypes.normal;
}

/** The output matrix is the embedding: llama.cpp uses the embedding if a file has no output matrix. */
function tensors({ dim, hiddenDim, heads, kvHeads, vocabulary, ...weights }: Checkpoint): GgufTensor[] {
  const kvDim = (dim / heads) * kvHeads;
  const tensor = (name: string, shape: readonly number[], values: Float32Array): GgufTensor => ({
    name: `${name}.weight`,
    shape,
    values: () => values,
  });
  const blocks = weights.layer.flatMap((layer, index) => [
    tensor(`blk.${index}.attn_norm`, [dim], layer.attentionNorm),
    tensor(`blk.${index}.attn_q`, [dim, dim], layer.wq),
    tensor(`blk.${index}.attn_k`, [kvDim, dim], layer.wk),
    tensor(`blk.${index}.attn_v`, [kvDim, dim], layer.wv),
    tensor(`blk.${index}.attn_output`, [dim, dim], layer.wo),
    tensor(`blk.${index}.ffn_norm`, [dim], layer.feedForwardNorm),
    tensor(`blk.${index}.ffn_gate`, [hiddenDim, dim], layer.w1),
    tensor(`blk.${index}.ffn_down`, [dim, hiddenDim], layer.w2),
    tensor(`blk.${index}.ffn_up`, [hiddenDim, dim], layer.w3),
  ]);
  const embedding = tensor("token_embd", [vocabulary, dim], weights.embedding);
  return [embedding, ...blocks, tensor("output_norm", [dim], weights.finalNorm)];
}
