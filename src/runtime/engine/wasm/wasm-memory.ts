/** Memory for caches in the heap of the WebAssembly runtime. A block is an address, a tensor a handle of the runtime. */

import { bytesOfType, type FloatType } from "../base/float-type.ts";
import type { CopyCommand, DeviceMemory } from "../decoder-cache/device-memory.ts";
import type { OrtWasmModule } from "../ort/ort-wasm-module.ts";
import { allocate } from "./wasm-heap.ts";
import { createTensor, elementType } from "./wasm-session.ts";

/** Caching stops at this heap size; the heap may have 4 GB. */
const mostHeapBytes = 3 * 2 ** 30;

export class WasmMemory implements DeviceMemory<number, number> {
  /** No limit here: the heap fails by itself at 4 GB. */
  readonly mostBytes = Number.POSITIVE_INFINITY;
  readonly #module: OrtWasmModule;

  constructor(module: OrtWasmModule) {
    this.#module = module;
  }

  allocate(sizes: readonly number[]): readonly number[] {
    const blocks: number[] = [];
    try {
      for (const size of sizes) {
        const block = allocate(this.#module, size);
        blocks.push(block);
        this.#module.HEAPU8.fill(0, block, block + size);
      }
    } catch (error) {
      this.free(blocks);
      throw error;
    }
    return blocks;
  }

  /** If the heap has no room for a run, the model is lost. So the last gigabyte is left for runs. */
  hasRoom(bytes: number): boolean {
    return this.#module.HEAPU8.byteLength + bytes <= mostHeapBytes;
  }

  free(blocks: readonly number[]): void {
    for (const block of blocks) this.#module._free(block);
  }

  copy(copies: readonly CopyCommand<number>[]): void {
    const heap = this.#module.HEAPU8;
    for (const { source, from, target, to, bytes } of copies) {
      heap.copyWithin(target + to, source + from, source + from + bytes);
    }
  }

  tensor(block: number, type: FloatType, dims: readonly number[]): number {
    const bytes = dims.reduce((product, size) => product * size, bytesOfType(type));
    return createTensor(this.#module, elementType[type], block, bytes, dims);
  }

  release(tensors: readonly number[]): void {
    for (const tensor of tensors) this.#module._OrtReleaseTensor(tensor);
  }
}
