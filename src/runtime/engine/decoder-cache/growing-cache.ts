/**
 * Keys and values of graphs that return all rows, old and new, after every pass: the rows of a head follow one another
 * without space for more. Two sets of blocks alternate as past and present, so no pass allocates memory. After a cut, the
 * next pass first moves the rows of all heads together, once.
 */
import { bytesPerRow, type CacheTensorInfo } from "../onnx/decoder-graph.ts";
import {
  type DecoderCache,
  mostRowsOf,
  type PassCacheTensors,
  planHeadCopies,
  type RowBlocks,
} from "./decoder-cache.ts";
import type { DeviceMemory } from "./device-memory.ts";
import { RowSegments } from "./row-segments.ts";
import type { SegmentStore } from "./segment-store.ts";

export class GrowingCache<Block, Tensor> implements DecoderCache<Tensor> {
  rows = 0;
  readonly segments: SegmentStore;
  readonly #memory: DeviceMemory<Block, Tensor>;
  readonly #entries: readonly CacheTensorInfo[];
  /** Blocks with `#filledRows` rows a head, even if the text was shortened since. */
  #past: readonly Block[] = [];
  #present: readonly Block[] = [];
  #filledRows = 0;
  #bound: PassCacheTensors<Tensor> = { past: [], present: [] };

  constructor(memory: DeviceMemory<Block, Tensor>, entries: readonly CacheTensorInfo[]) {
    this.#memory = memory;
    this.#entries = entries;
    this.segments = new RowSegments(memory, entries, {
      source: () => this.#pastRows(),
      target: (length) => {
        this.#filledRows = length;
        return this.#pastRows();
      },
    });
  }

  #pastRows(): RowBlocks<Block> {
    return { blocks: this.#past, rows: this.#filledRows };
  }

  get mostRows(): number {
    return mostRowsOf(this.#entries, this.#memory.mostBytes);
  }

  get bytes(): number {
    return this.bytesAt(this.rows);
  }

  bytesAt(rows: number): number {
    return 2 * this.#entries.reduce((sum, entry) => sum + rows * bytesPerRow(entry), 0);
  }

  async grow(rows: number, kept: number): Promise<void> {
    const sizes = this.#entries.map((entry) => rows * bytesPerRow(entry));
    const blocks = await this.#memory.allocate([...sizes, ...sizes], rows);
    const past = blocks.slice(0, sizes.length);
    const present = blocks.slice(sizes.length);
    const target = { blocks: past, rows: kept };
    if (kept > 0) this.#memory.copy(planHeadCopies(this.#entries, this.#pastRows(), target, kept));
    this.free();
    this.#past = past;
    this.#present = present;
    this.#filledRows = kept;
    this.rows = rows;
  }

  rewind(length: number): number {
    return length;
  }

  bind(past: number, count: number): PassCacheTensors<Tensor> {
    if (past < this.#filledRows) this.#cut(past);
    this.#release();
    const over = (blocks: readonly Block[], rows: number) =>
      this.#entries.map((entry, i) =>
        this.#memory.tensor(blocks[i] as Block, entry.type, [1, entry.heads, rows, entry.headSize]),
      );
    this.#bound = { past: over(this.#past, past), present: over(this.#present, past + count) };
    return this.#bound;
  }

  /**
   * With one head, the first rows are already in place. With several heads, the rows are moved together into the other set
   * of blocks.
   */
  #cut(length: number): void {
    if (length > 0 && this.#entries.some(({ heads }) => heads > 1)) {
      const target = { blocks: this.#present, rows: length };
      this.#memory.copy(planHeadCopies(this.#entries, this.#pastRows(), target, length));
      [this.#past, this.#present] = [this.#present, this.#past];
    }
    this.#filledRows = length;
  }

  keep(length: number): void {
    [this.#past, this.#present] = [this.#present, this.#past];
    this.#filledRows = length;
  }

  #release(): void {
    this.#memory.release(this.#bound.past);
    this.#memory.release(this.#bound.present);
    this.#bound = { past: [], present: [] };
  }

  free(): void {
    this.#release();
    this.#memory.free(this.#past);
    this.#memory.free(this.#present);
    this.#past = [];
    this.#present = [];
    this.#filledRows = 0;
    this.rows = 0;
  }
}
