/**
 * Copies of states. A state is as large as the keys and values of a long text, so a segment has few: the state at its end,
 * and earlier ones at growing distances, because texts usually differ near their ends.
 */
import type { CacheSegment } from "../../../core/decoder/ports/language-model.ts";
import { allocateIfRoom, type CopyCommand, type DeviceMemory } from "./device-memory.ts";
import { type SegmentStore, segmentPieces } from "./segment-store.ts";

/** The blocks of a state, and the number of tokens before it. */
export interface StoredState<Block> {
  readonly length: number;
  readonly blocks: readonly Block[];
}

/** The cache that owns the states. */
export interface StateHolder<Block> {
  /** The stored states, sorted by length. */
  states(): readonly StoredState<Block>[];
  /** Replaces all states with copies of these, which are sorted by length. */
  replace(states: readonly StoredState<Block>[]): void;
}

export class StateSegments<Block, Tensor> implements SegmentStore {
  readonly #memory: DeviceMemory<Block, Tensor>;
  /** Bytes of the blocks of one state. */
  readonly #sizes: readonly number[];
  readonly #holder: StateHolder<Block>;
  readonly #states = new Map<CacheSegment, readonly StoredState<Block>[]>();

  constructor(memory: DeviceMemory<Block, Tensor>, sizes: readonly number[], holder: StateHolder<Block>) {
    this.#memory = memory;
    this.#sizes = sizes;
    this.#holder = holder;
  }

  get #stateBytes(): number {
    return this.#sizes.reduce((sum, size) => sum + size, 0);
  }

  bytesOf(from: number, to: number): number {
    return keptLengths(from, to).length * this.#stateBytes;
  }

  async save(from: number, to: number): Promise<CacheSegment> {
    const states = this.#holder.states().filter(({ length }) => length > from && length <= to);
    const chosen = [
      ...new Set(keptLengths(from, to).map((most) => states.findLast(({ length }) => length <= most))),
    ]
      .filter((state) => state !== undefined)
      .reverse();
    const count = this.#sizes.length;
    const sizes = chosen.flatMap(() => this.#sizes);
    const blocks = await allocateIfRoom(this.#memory, sizes, to - from);
    const copies = chosen.map(({ length }, i) => ({
      length,
      blocks: blocks.slice(i * count, (i + 1) * count),
    }));
    this.#memory.copy(
      chosen.flatMap((state, i) => planStateCopies(this.#sizes, state.blocks, copies[i]?.blocks ?? [])),
    );
    const segment = { from, to, bytes: chosen.length * this.#stateBytes };
    this.#states.set(segment, copies);
    return segment;
  }

  load(segments: readonly CacheSegment[], length: number): void {
    const states = segmentPieces(segments, length).flatMap(({ segment, end }) =>
      (this.#states.get(segment) ?? []).filter((state) => state.length <= end),
    );
    this.#holder.replace(states);
  }

  free(segment: CacheSegment): void {
    for (const { blocks } of this.#states.get(segment) ?? []) this.#memory.free(blocks);
    this.#states.delete(segment);
  }
}

/** Fewest tokens between the last state of a segment and the one before it. */
const leastDistance = 32;

/** The lengths after `from` at which a segment keeps the nearest state; the longest first. */
function keptLengths(from: number, to: number): number[] {
  const lengths: number[] = [];
  for (let back = 0; to - back > from; back = Math.max(leastDistance, 2 * back)) lengths.push(to - back);
  return lengths;
}

/** The copies that move a state from `sources` to `targets`. */
export function planStateCopies<Block>(
  sizes: readonly number[],
  sources: readonly Block[],
  targets: readonly Block[],
): CopyCommand<Block>[] {
  return sizes.map((bytes, i) => ({
    source: sources[i] as Block,
    from: 0,
    target: targets[i] as Block,
    to: 0,
    bytes,
  }));
}
