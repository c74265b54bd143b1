/**
 * Writes files of GGUF's version 3, which llama.cpp reads.
 * Source: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
 */

/** GGUF's codes of types. */
export const uint32 = 4;
export const int32 = 5;
export const float32 = 6;
export const string = 8;
export const array = 9;

/** Codes of llama.cpp's kinds of tokens. */
export const kinds = { normal: 1, unknown: 2, control: 3, byte: 6 } as const;

/** Codes of GGML's types of tensors. */
const ggmlTypes = { float32: 0, q4_0: 2 } as const;

const alignment = 32;

export type GgufValue =
  | { readonly type: typeof uint32 | typeof float32; readonly value: number }
  | { readonly type: typeof string; readonly value: string }
  | { readonly type: typeof array; readonly of: typeof string; readonly values: readonly string[] }
  | {
      readonly type: typeof array;
      readonly of: typeof int32 | typeof float32;
      readonly values: readonly number[];
    };

export interface GgufTensor {
  readonly name: string;
  /** Row length first. */
  readonly dims: readonly number[];
  readonly type: keyof typeof ggmlTypes;
  /** Little-endian. */
  readonly bytes: Uint8Array;
}

/** The file: metadata, the list of tensors, their data at multiples of 32 bytes. */
export function ggufFile(values: Readonly<Record<string, GgufValue>>, tensors: readonly GgufTensor[]): Blob {
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
  for (const { name, dims, type, bytes } of tensors) {
    text(name);
    u32(dims.length);
    for (const size of dims) u64(size);
    u32(ggmlTypes[type]);
    u64(offset);
    offset += Math.ceil(bytes.length / alignment) * alignment;
  }
  for (const { bytes } of tensors) {
    pad();
    put(bytes.slice());
  }
  pad();
  return new Blob(parts);
}
