/** Copies of rows of keys and values. In a segment, the rows of a head follow one another without space for more. */
import type { CacheSegment } from "../../../core/decoder/ports/language-model.ts";
import { bytesPerRow, type CacheTensorInfo } from "../onnx/decoder-graph.ts";
import { planHeadCopies, type RowBlocks } from "./decoder-cache.ts";
import { allocateIfRoom, type DeviceMemory } from "./device-memory.ts";
import { type SegmentStore, segmentPieces } from "./segment-store.ts";

/** The cache that owns the rows. */
export interface RowHolder<Block> {
  /** The blocks with its rows. */
  source(): RowBlocks<Block>;
  /** The blocks into which `length` rows are copied; they then are the holder's rows. */
  target(length: number): RowBlocks<Block>;
}

export class RowSegments<Block, Tensor> implements SegmentStore {
  readonly #memory: DeviceMemory<Block, Tensor>;
  readonly #entries: readonly CacheTensorInfo[];
  readonly #holder: RowHolder<Block>;
  readonly #blocks = new Map<CacheSegment, readonly Block[]>();

  constructor(
    memory: DeviceMemory<Block, Tensor>,
    entries: readonly CacheTensorInfo[],
    holder: RowHolder<Block>,
  ) {
    this.#memory = memory;
    this.#entries = entries;
    this.#holder = holder;
  }

  bytesOf(from: number, to: number): number {
    return this.#entries.reduce((sum, entry) => sum + (to - from) * bytesPerRow(entry), 0);
  }

  async save(from: number, to: number): Promise<CacheSegment> {
    const count = to - from;
    const sizes = this.#entries.map((entry) => count * bytesPerRow(entry));
    const blocks = await allocateIfRoom(this.#memory, sizes, count);
    const source = { ...this.#holder.source(), first: from };
    this.#memory.copy(planHeadCopies(this.#entries, source, { blocks, rows: count }, count));
    const segment = { from, to, bytes: this.bytesOf(from, to) };
    this.#blocks.set(segment, blocks);
    return segment;
  }

  load(segments: readonly CacheSegment[], length: number): void {
    const target = this.#holder.target(length);
    const copies = segmentPieces(segments, length).flatMap(({ segment, end }) => {
      const source = { blocks: this.#blocks.get(segment) ?? [], rows: segment.to - segment.from };
      const to = { ...target, first: segment.from };
      return planHeadCopies(this.#entries, source, to, end - segment.from);
    });
    this.#memory.copy(copies);
  }

  free(segment: CacheSegment): void {
    this.#memory.free(this.#blocks.get(segment) ?? []);
    this.#blocks.delete(segment);
  }
}
