/** The bundled model as a GGUF file, which llama.cpp reads: made from the checkpoint, since none is in the repository. */
import type { Checkpoint } from "../../../scripts/stories260k/checkpoint.ts";
import type { Piece } from "../../../scripts/stories260k/tokenizer-files.ts";

/** GGUF's codes of types. */
const uint32 = 4;
const int32 = 5;
const float32 = 6;
const string = 8;
const array = 9;

/** Codes of llama.cpp's kinds of tokens. */
const kinds = { normal: 1, unknown: 2, control: 3, byte: 6 } as const;

const alignment = 32;

type Value =
  | { readonly type: typeof uint32 | typeof float32; readonly value: number }
  | { readonly type: typeof string; readonly value: string }
  | { readonly type: typeof array; readonly of: typeof string; readonly values: readonly string[] }
  | {
      readonly type: typeof array;
      readonly of: typeof int32 | typeof float32;
      readonly values: readonly number[];
    };

/** Rotary pairs are interleaved in llama2.c and in llama.cpp's kind "llama" alike, so the matrices stay as they are. */
export function ggufOf(checkpoint: Checkpoint, pieces: readonly Piece[]): Blob {
  const { dim, hiddenDim, layers, heads, kvHeads, vocabulary, sequenceLength } = checkpoint;
  const count = (value: number): Value => ({ type: uint32, value });
  const values: Record<string, Value> = {
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
  return write(values, tensorsOf(checkpoint));
}

function entryOf({ text }: Piece, id: number): string {
  return ["<unk>", "<s>", "</s>"][id] ?? (id < 259 ? text : text.replaceAll(" ", "▁"));
}

function kindOf(id: number): number {
  if (id === 0) return kinds.unknown;
  if (id <= 2) return kinds.control;
  return id < 259 ? kinds.byte : kinds.normal;
}

interface GgufTensor {
  readonly name: string;
  /** Row length first. */
  readonly dims: readonly number[];
  readonly data: Float32Array;
}

function tensorsOf({ dim, embedding, finalNorm, layer }: Checkpoint): GgufTensor[] {
  const matrix = (name: string, data: Float32Array, columns: number): GgufTensor => ({
    name: `${name}.weight`,
    dims: [columns, data.length / columns],
    data,
  });
  const vector = (name: string, data: Float32Array): GgufTensor => ({
    name: `${name}.weight`,
    dims: [data.length],
    data,
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

function write(values: Readonly<Record<string, Value>>, tensors: readonly GgufTensor[]): Blob {
  const parts: BlobPart[] = [];
  let length = 0;
  const put = (bytes: Uint8Array<ArrayBuffer>) => {
    parts.push(bytes);
    length += bytes.length;
  };
  const number = (size: number, set: (view: DataView) => void) => {
    const view = new DataView(new ArrayBuffer(size));
    set(view);
    put(new Uint8Array(view.buffer));
  };
  const u32 = (value: number) => number(4, (view) => view.setUint32(0, value, true));
  const u64 = (value: number) => number(8, (view) => view.setBigUint64(0, BigInt(value), true));
  const f32 = (value: number) => number(4, (view) => view.setFloat32(0, value, true));
  const text = (value: string) => {
    const bytes = new TextEncoder().encode(value);
    u64(bytes.length);
    put(bytes);
  };
  const one = (type: number, value: string | number) => {
    if (typeof value === "string") text(value);
    else if (type === float32) f32(value);
    else u32(value);
  };
  const pad = () => put(new Uint8Array((alignment - (length % alignment)) % alignment));

  put(new TextEncoder().encode("GGUF"));
  u32(3);
  u64(tensors.length);
  u64(Object.keys(values).length);
  for (const [key, value] of Object.entries(values)) {
    text(key);
    u32(value.type);
    if (value.type !== array) one(value.type, value.value);
    else {
      u32(value.of);
      u64(value.values.length);
      for (const each of value.values) one(value.of, each);
    }
  }
  let offset = 0;
  for (const { name, dims, data } of tensors) {
    text(name);
    u32(dims.length);
    for (const size of dims) u64(size);
    // The code of float32 among GGML's types.
    u32(0);
    u64(offset);
    offset += Math.ceil(data.byteLength / alignment) * alignment;
  }
  for (const { data } of tensors) {
    pad();
    put(new Uint8Array(data.slice().buffer));
  }
  pad();
  return new Blob(parts);
}
