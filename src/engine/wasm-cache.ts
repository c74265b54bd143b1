/** Memory of the WebAssembly heap that is as long as the context: the caches, and the ids, positions and mask of a pass. */
import { bytesOfType, bytesPerRow, type CacheEntry } from "./decoder-graph.ts";
import type { OrtWasmModule } from "./ort-wasm-module.ts";
import { allocate } from "./wasm-module.ts";
import { createTensor, elementType } from "./wasm-session.ts";

/** Ids, positions and mask are int64. */
export const bytesOfId = 8;

/** Writes a non-negative 32-bit number as element `index` of an int64 array. */
export function writeId(module: OrtWasmModule, pointer: number, index: number, value: number): void {
  const at = (pointer >>> 2) + 2 * index;
  module.HEAP32[at] = value;
  module.HEAP32[at + 1] = 0;
}

export class WasmCache {
  rows = 0;
  ids = 0;
  positions = 0;
  /** Address of the attention mask, which is all ones. */
  mask = 0;
  /** Tensors of shape `(1, 1)` over the first id and the first position. */
  oneId = 0;
  onePosition = 0;
  /** One tensor per cache, `(1, heads, rows, headSize)`. */
  tensors: readonly number[] = [];
  #blocks: readonly number[] = [];
  readonly #module: OrtWasmModule;
  readonly #entries: readonly CacheEntry[];

  constructor(module: OrtWasmModule, entries: readonly CacheEntry[]) {
    this.#module = module;
    this.#entries = entries;
  }

  /** Makes room for `rows`, keeping the first `keep`. @throws RangeError when the heap has no room; nothing has changed. */
  grow(rows: number, keep: number): void {
    // One id more than rows: the probe for growing caches gives a mask that is one longer than the past.
    const ids = (rows + 1) * bytesOfId;
    const sizes = [ids, ids, ids, ...this.#entries.map((entry) => rows * bytesPerRow(entry))];
    const blocks: number[] = [];
    try {
      for (const size of sizes) blocks.push(allocate(this.#module, size));
    } catch (error) {
      for (const block of blocks) this.#module._free(block);
      throw error;
    }
    this.#entries.forEach((entry, i) => {
      this.#fill(entry, blocks[3 + i] ?? 0, rows, this.#blocks[3 + i] ?? 0, keep);
    });
    this.free();
    this.#use(blocks, rows);
  }

  /** Fills a new cache with zeros, and copies the first `keep` rows of each head from the old one. */
  #fill(entry: CacheEntry, target: number, rows: number, source: number, keep: number): void {
    const heap = this.#module.HEAPU8;
    const row = entry.headSize * bytesOfType(entry.type);
    heap.fill(0, target, target + rows * bytesPerRow(entry));
    for (let head = 0; head < entry.heads && keep > 0; head++) {
      const from = source + head * this.rows * row;
      heap.copyWithin(target + head * rows * row, from, from + keep * row);
    }
  }

  #use(blocks: readonly number[], rows: number): void {
    const module = this.#module;
    const one = (data: number) => createTensor(module, elementType.int64, data, bytesOfId, [1, 1]);
    const [ids = 0, positions = 0, mask = 0, ...caches] = blocks;
    for (let i = 0; i <= rows; i++) writeId(module, mask, i, 1);
    Object.assign(this, { ids, positions, mask, rows, oneId: one(ids), onePosition: one(positions) });
    this.#blocks = blocks;
    this.tensors = this.#entries.map((entry, i) => {
      const dims = [1, entry.heads, rows, entry.headSize];
      return createTensor(module, elementType[entry.type], caches[i] ?? 0, rows * bytesPerRow(entry), dims);
    });
  }

  free(): void {
    if (this.rows === 0) return;
    for (const tensor of [this.oneId, this.onePosition, ...this.tensors])
      this.#module._OrtReleaseTensor(tensor);
    for (const block of this.#blocks) this.#module._free(block);
    this.rows = 0;
    this.tensors = [];
    this.#blocks = [];
  }
}
