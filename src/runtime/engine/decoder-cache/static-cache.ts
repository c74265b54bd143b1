/**
 * Keys and values in blocks with free space after the last row. The graph's attention writes new rows in place: past and
 * present are the same tensor. The length of the attention mask says how many rows count, so a cut only changes a number.
 */
import { bytesPerRow, type CacheTensorInfo } from "../onnx/decoder-graph.ts";
import { type DecoderCache, mostRowsOf, type PassCacheTensors, planHeadCopies } from "./decoder-cache.ts";
import type { DeviceMemory } from "./device-memory.ts";
import { RowSegments } from "./row-segments.ts";
import type { SegmentStore } from "./segment-store.ts";

export class StaticCache<Block, Tensor> implements DecoderCache<Tensor> {
  rows = 0;
  readonly segments: SegmentStore;
  readonly #memory: DeviceMemory<Block, Tensor>;
  readonly #entries: readonly CacheTensorInfo[];
  #blocks: readonly Block[] = [];
  #tensors: readonly Tensor[] = [];
  #bound: PassCacheTensors<Tensor> = { past: [], present: [] };

  constructor(memory: DeviceMemory<Block, Tensor>, entries: readonly CacheTensorInfo[]) {
    this.#memory = memory;
    this.#entries = entries;
    const blocks = () => ({ blocks: this.#blocks, rows: this.rows });
    this.segments = new RowSegments(memory, entries, { source: blocks, target: blocks });
  }

  get mostRows(): number {
    return mostRowsOf(this.#entries, this.#memory.mostBytes);
  }

  get bytes(): number {
    return this.bytesAt(this.rows);
  }

  bytesAt(rows: number): number {
    return this.#entries.reduce((sum, entry) => sum + rows * bytesPerRow(entry), 0);
  }

  async grow(rows: number, kept: number): Promise<void> {
    const sizes = this.#entries.map((entry) => rows * bytesPerRow(entry));
    const blocks = await this.#memory.allocate(sizes, rows);
    const old = { blocks: this.#blocks, rows: this.rows };
    if (kept > 0) this.#memory.copy(planHeadCopies(this.#entries, old, { blocks, rows }, kept));
    this.free();
    this.#blocks = blocks;
    this.rows = rows;
    this.#tensors = this.#entries.map((entry, i) =>
      this.#memory.tensor(blocks[i] as Block, entry.type, [1, entry.heads, rows, entry.headSize]),
    );
    this.#bound = { past: this.#tensors, present: this.#tensors };
  }

  rewind(length: number): number {
    return length;
  }

  bind(): PassCacheTensors<Tensor> {
    return this.#bound;
  }

  keep(): void {}

  free(): void {
    this.#memory.release(this.#tensors);
    this.#memory.free(this.#blocks);
    this.#tensors = [];
    this.#blocks = [];
    this.rows = 0;
  }
}
