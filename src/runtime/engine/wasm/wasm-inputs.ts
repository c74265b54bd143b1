/** The inputs of a pass except its caches: ids, positions, mask, number of rows. They are in the WebAssembly runtime's heap. */

import type { GraphPass } from "../graph/graph-runner.ts";
import type { DecoderGraph, IntegerType } from "../onnx/decoder-graph.ts";
import type { OrtWasmModule } from "../ort/ort-wasm-module.ts";
import { allocate } from "./wasm-heap.ts";
import { createTensor, elementType } from "./wasm-session.ts";

const bytesOfInteger: Record<IntegerType, number> = { int64: 8, int32: 4 };

/** Integers in the heap; tensors `(1, length)` use the first of them. */
interface Integers {
  readonly data: number;
  readonly type: IntegerType;
  /** A tensor over the first integer only. */
  readonly one: number;
}

export class WasmInputs {
  readonly #module: OrtWasmModule;
  readonly #graph: DecoderGraph;
  readonly #keep: { readonly data: number; readonly tensor: number } | null;
  #rows = 0;
  #ids: Integers | null = null;
  #positions: Integers | null = null;
  #mask: Integers | null = null;
  /** Tensors that exist only during a pass. */
  #temporary: number[] = [];

  constructor(module: OrtWasmModule, graph: DecoderGraph) {
    this.#module = module;
    this.#graph = graph;
    const shape = graph.rowsToKeepShape;
    const type = graph.integerTypes.num_logits_to_keep ?? "int64";
    const data = shape ? allocate(module, bytesOfInteger[type]) : 0;
    this.#keep = shape && { data, tensor: this.#tensor(data, type, shape, 1) };
  }

  #tensor(data: number, type: IntegerType, dims: readonly number[], length: number): number {
    return createTensor(this.#module, elementType[type], data, length * bytesOfInteger[type], dims);
  }

  /** Makes room for a context of `rows` tokens. @throws RangeError if the heap has no room; nothing has changed */
  grow(rows: number): void {
    if (rows <= this.#rows) return;
    const { attentionMask, positionIds } = this.#graph;
    const made: Integers[] = [];
    const make = (name: string): Integers => {
      const integers = this.#integers(rows, this.#graph.integerTypes[name] ?? "int64");
      made.push(integers);
      return integers;
    };
    try {
      const ids = make("input_ids");
      const positions = positionIds ? make("position_ids") : null;
      const mask = attentionMask ? make("attention_mask") : null;
      if (mask) for (let i = 0; i < rows; i++) this.#write(mask, i, 1);
      this.#freeContext();
      [this.#ids, this.#positions, this.#mask, this.#rows] = [ids, positions, mask, rows];
    } catch (error) {
      for (const integers of made) this.#freeIntegers(integers);
      throw error;
    }
  }

  #integers(rows: number, type: IntegerType): Integers {
    const data = allocate(this.#module, rows * bytesOfInteger[type]);
    return { data, type, one: this.#tensor(data, type, [1, 1], 1) };
  }

  /** Writes element `index`; `value` is from 0 to 2^31 - 1. */
  #write({ data, type }: Pick<Integers, "data" | "type">, index: number, value: number): void {
    const words = bytesOfInteger[type] / 4;
    const at = (data >>> 2) + words * index;
    this.#module.HEAP32[at] = value;
    if (words === 2) this.#module.HEAP32[at + 1] = 0;
  }

  /** Writes the inputs of a pass. Calls `set` with each input's name and tensor; the tensor is valid until `release`. */
  fill({ tokens, start, end, past, rows }: GraphPass, set: (name: string, tensor: number) => void): void {
    const count = end - start;
    for (const integers of [this.#ids, this.#positions]) {
      if (!integers) continue;
      for (let i = 0; i < count; i++) {
        this.#write(integers, i, integers === this.#ids ? (tokens[start + i] as number) : past + i);
      }
    }
    if (this.#ids) set("input_ids", this.#first(this.#ids, count));
    if (this.#positions) set("position_ids", this.#first(this.#positions, count));
    if (this.#mask) set("attention_mask", this.#first(this.#mask, past + count));
    if (this.#keep) {
      const type = this.#graph.integerTypes.num_logits_to_keep ?? "int64";
      this.#write({ data: this.#keep.data, type }, 0, Math.max(1, rows));
      set("num_logits_to_keep", this.#keep.tensor);
    }
  }

  #first({ data, type, one }: Integers, length: number): number {
    if (length === 1) return one;
    const tensor = this.#tensor(data, type, [1, length], length);
    this.#temporary.push(tensor);
    return tensor;
  }

  /** Releases the tensors of the last pass. */
  release(): void {
    for (const tensor of this.#temporary) this.#module._OrtReleaseTensor(tensor);
    this.#temporary = [];
  }

  #freeIntegers({ data, one }: Integers): void {
    this.#module._OrtReleaseTensor(one);
    this.#module._free(data);
  }

  #freeContext(): void {
    for (const integers of [this.#ids, this.#positions, this.#mask])
      if (integers) this.#freeIntegers(integers);
  }

  free(): void {
    this.release();
    this.#freeContext();
    [this.#ids, this.#positions, this.#mask, this.#rows] = [null, null, null, 0];
    if (!this.#keep) return;
    this.#module._OrtReleaseTensor(this.#keep.tensor);
    this.#module._free(this.#keep.data);
  }
}
