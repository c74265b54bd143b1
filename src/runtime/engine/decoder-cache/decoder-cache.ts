/**
 * A decoder's memory between passes: keys and values, and the states of layers without attention. This folder stores and
 * shortens them with the same code for all devices.
 */
import { bytesOfType } from "../base/float-type.ts";
import { bytesPerRow, type CacheTensorInfo } from "../onnx/decoder-graph.ts";
import type { CopyCommand } from "./device-memory.ts";
import type { SegmentStore } from "./segment-store.ts";

/** The cache tensors of one pass: those of the graph's caches, then those of its states. The cache owns them. */
export interface PassCacheTensors<Tensor> {
  readonly past: readonly Tensor[];
  readonly present: readonly Tensor[];
}

/**
 * A cache, or a part of one. For each pass the caller calls, in this order and never two at once: `rewind` to the rows that
 * stay, `grow` if there is no room, `bind`, the run itself, `keep`.
 */
export interface DecoderCache<Tensor> {
  /** Number of tokens for which memory is allocated. */
  readonly rows: number;
  /** Number of tokens for which memory can be allocated on this device. */
  readonly mostRows: number;
  /** Bytes of the device's memory that are allocated. */
  readonly bytes: number;
  /** Bytes that the cache would need for `rows` tokens. */
  bytesAt(rows: number): number;
  /** Allocates room for `rows` tokens and keeps the first `kept`. @throws RangeError if memory is short; nothing has changed */
  grow(rows: number, kept: number): Promise<void>;
  /**
   * Forgets all but the first `length` tokens.
   * @returns how many of them are still in the cache: `length`, or fewer if their states are lost; the rest must be computed
   * again.
   */
  rewind(length: number): number;
  /**
   * The tensors of a pass of `count` tokens after `past`: the number that `rewind` returned, or the length after the last
   * pass.
   */
  bind(past: number, count: number): PassCacheTensors<Tensor>;
  /** Called after the run: its present becomes the past of the next pass. `length`: tokens in the cache now. */
  keep(length: number): void;
  /** Copies of parts of the cache. They stay valid after the cache is freed, until they are freed themselves. */
  readonly segments: SegmentStore;
  free(): void;
}

/** How many rows fit if the largest of the caches is one block of `mostBytes`. */
export function mostRowsOf(caches: readonly CacheTensorInfo[], mostBytes: number): number {
  return Math.floor(mostBytes / Math.max(1, ...caches.map(bytesPerRow)));
}

/** Blocks in which each head has `rows` rows. `first`: where the rows to copy begin; 0 unless given. */
export interface RowBlocks<Block> {
  readonly blocks: readonly Block[];
  readonly rows: number;
  readonly first?: number;
}

/** The copies that move `count` rows of each head from `source` to `target`. */
export function planHeadCopies<Block>(
  entries: readonly CacheTensorInfo[],
  source: RowBlocks<Block>,
  target: RowBlocks<Block>,
  count: number,
): CopyCommand<Block>[] {
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
