/** Writes GGUF, the model files of llama.cpp: metadata, then float32 tensors. Format: version 3, little-endian. */

export type GgufValue =
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "uint32" | "float32"; readonly value: number }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "strings"; readonly value: readonly string[] }
  | { readonly type: "int32s" | "float32s"; readonly value: readonly number[] };

export interface GgufTensor {
  readonly name: string;
  /** The matrix's rows, then columns; a single number for a vector. */
  readonly shape: readonly number[];
  /** In row-major order. Called when the tensor is written. */
  readonly values: () => Float32Array;
}

/** The numbers of GGUF's value types. */
const typeNumbers = { uint32: 4, int32: 5, float32: 6, bool: 7, string: 8, array: 9 } as const;
const float32Tensor = 0;
const alignment = 32;

/** Calls `write` with the pieces of the file, one after the other. */
export function writeGguf(
  metadata: Readonly<Record<string, GgufValue>>,
  tensors: readonly GgufTensor[],
  write: (bytes: Uint8Array) => void,
): void {
  const head = new Writer();
  head.bytes(new TextEncoder().encode("GGUF"));
  head.uint32(3);
  head.uint64(tensors.length);
  head.uint64(Object.keys(metadata).length);
  for (const [key, value] of Object.entries(metadata)) writeEntry(head, key, value);
  let offset = 0;
  for (const { name, shape } of tensors) {
    head.string(name);
    head.uint32(shape.length);
    // GGUF lists the length of a row first.
    for (const size of shape.toReversed()) head.uint64(size);
    head.uint32(float32Tensor);
    head.uint64(offset);
    offset += aligned(4 * count(shape));
  }
  head.pad();
  write(head.finish());
  for (const { name, shape, values } of tensors) {
    const data = values();
    if (data.length !== count(shape))
      throw new RangeError(`${name} has ${data.length} values, and its shape is ${shape.join(" × ")}.`);
    const bytes = new Uint8Array(aligned(data.byteLength));
    bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    write(bytes);
  }
}

function writeEntry(head: Writer, key: string, entry: GgufValue): void {
  head.string(key);
  switch (entry.type) {
    case "string":
      head.uint32(typeNumbers.string);
      head.string(entry.value);
      break;
    case "uint32":
      head.uint32(typeNumbers.uint32);
      head.uint32(entry.value);
      break;
    case "float32":
      head.uint32(typeNumbers.float32);
      head.float32(entry.value);
      break;
    case "bool":
      head.uint32(typeNumbers.bool);
      head.bytes(Uint8Array.of(entry.value ? 1 : 0));
      break;
    case "strings":
      head.array(typeNumbers.string, entry.value.length);
      for (const text of entry.value) head.string(text);
      break;
    case "int32s":
      head.array(typeNumbers.int32, entry.value.length);
      for (const value of entry.value) head.uint32(value);
      break;
    case "float32s":
      head.array(typeNumbers.float32, entry.value.length);
      for (const value of entry.value) head.float32(value);
  }
}

const count = (shape: readonly number[]): number => shape.reduce((product, size) => product * size, 1);
const aligned = (bytes: number): number => Math.ceil(bytes / alignment) * alignment;

class Writer {
  #bytes = new Uint8Array(1 << 16);
  #length = 0;

  bytes(bytes: Uint8Array): void {
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  uint32(value: number): void {
    this.#number(4, (view) => view.setUint32(0, value, true));
  }

  float32(value: number): void {
    this.#number(4, (view) => view.setFloat32(0, value, true));
  }

  uint64(value: number): void {
    this.#number(8, (view) => view.setBigUint64(0, BigInt(value), true));
  }

  string(text: string): void {
    const bytes = new TextEncoder().encode(text);
    this.uint64(bytes.length);
    this.bytes(bytes);
  }

  array(type: number, length: number): void {
    this.uint32(typeNumbers.array);
    this.uint32(type);
    this.uint64(length);
  }

  pad(): void {
    this.bytes(new Uint8Array(aligned(this.#length) - this.#length));
  }

  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #number(size: number, set: (view: DataView) => void): void {
    const bytes = new Uint8Array(size);
    set(new DataView(bytes.buffer));
    this.bytes(bytes);
  }

  #room(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(2 * this.#bytes.length, this.#length + more));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
