/**
 * The memory of a decoder between passes: keys and values, and the states of layers without attention. This folder
 * stores and cuts them, once for all devices.
 */
import { bytesOfType } from "../base/float-type.ts";
import { bytesPerRow, type CacheEntry } from "../onnx/decoder-graph.ts";
import type { Copy } from "./device-memory.ts";
import type { SegmentStore } from "./segment-store.ts";

/** The tensors of one pass, in the order of the graph's caches and then its states. The cache owns them. */
export interface PassTensors<Tensor> {
  readonly past: readonly Tensor[];
  readonly present: readonly Tensor[];
}

/**
 * A cache, or a part of a cache. A pass calls: `rewind` to the rows that stay, `grow` if there is no room, `bind`, then the run,
 * then `keep`. Calls do not overlap.
 */
export interface DecoderCache<Tensor> {
  /** Tokens that there is room for. */
  readonly rows: number;
  /** Tokens that there may be room for on this device. */
  readonly mostRows: number;
  /** Bytes of the device's memory that are held. */
  readonly bytes: number;
  /** Bytes that it would hold with room for `rows` tokens. */
  bytesAt(rows: number): number;
  /** Makes room for `rows` tokens, keeping the first `kept`. @throws RangeError when the memory is not there; nothing has changed. */
  grow(rows: number, kept: number): Promise<void>;
  /**
   * Forgets all but the first `length` tokens.
   * @returns how many of them need not be computed again: `length`, or fewer where what belongs to them is gone.
   */
  rewind(length: number): number;
  /** For a pass of `count` tokens after `past`, which `rewind` gave or the last pass ended at. */
  bind(past: number, count: number): PassTensors<Tensor>;
  /** The pass was run: its present is the past of the next. `length`: tokens in the cache now. */
  keep(length: number): void;
  /** Copies of parts of the cache. Copies that were not freed survive the cache. */
  readonly segments: SegmentStore;
  free(): void;
}

/** Rows that the largest of the caches has room for in one block. */
export function mostRowsOf(caches: readonly CacheEntry[], mostBytes: number): number {
  return Math.floor(mostBytes / Math.max(1, ...caches.map(bytesPerRow)));
}

/** Blocks in which a head has `rows` rows; of those, the ones from `first` on are meant. */
export interface RowBlocks<Block> {
  readonly blocks: readonly Block[];
  readonly rows: number;
  readonly first?: number;
}

/** Copies that take `count` rows of each head from one set of blocks to another. */
export function headCopies<Block>(
  entries: readonly CacheEntry[],
  source: RowBlocks<Block>,
  target: RowBlocks<Block>,
  count: number,
): Copy<Block>[] {
  return entries.flatMap(({ heads, headSize, type }, i) => {
    const row = headSize * bytesOfType(type);
    const at = ({ rows, first = 0 }: RowBlocks<Block>, head: number) => (head * rows + first) * row;
    return Array.from({ length: heads }, (_, head) => ({
      source: source.blocks[i] as Block,
      from: at(source, head),
      target: target.blocks[i] as Block,
      to: at(target, head),
      bytes: count * row,
    }));
  });
}
