/**
 * What a decoder remembers from pass to pass: keys and values, and the states of layers that are no attention. How they
 * are kept and cut is here, once for all devices.
 */
import { bytesPerRow, type DecoderGraph } from "../decoder-graph.ts";
import type { DeviceMemory } from "./device-memory.ts";
import { GrowingCache } from "./growing-cache.ts";
import { StateCache } from "./state-cache.ts";
import { StaticCache } from "./static-cache.ts";

/** The tensors of one pass, in the order of the graph's caches and then its states. They stay the cache's. */
export interface PassTensors<Tensor> {
  readonly past: readonly Tensor[];
  readonly present: readonly Tensor[];
}

/**
 * A cache, or a part of one. A pass is: `rewind` to what is to stay, `grow` where there is no room, `bind`, the run, `keep`.
 * Calls do not overlap.
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
  free(): void;
}

/** The cache that a graph needs, with room for no token. */
export function createDecoderCache<Block, Tensor>(
  graph: DecoderGraph,
  memory: DeviceMemory<Block, Tensor>,
): DecoderCache<Tensor> {
  const { caches, states, cacheKind } = graph;
  const keysAndValues =
    cacheKind === "growing-cache" ? new GrowingCache(memory, caches) : new StaticCache(memory, caches);
  if (states.length === 0) return keysAndValues;
  return new JoinedCache(keysAndValues, new StateCache(memory, states));
}

/** Rows that the largest of the caches has room for in one block. */
export function mostRowsOf(caches: DecoderGraph["caches"], mostBytes: number): number {
  return Math.floor(mostBytes / Math.max(1, ...caches.map(bytesPerRow)));
}

/** Keys and values beside states. */
class JoinedCache<Tensor> implements DecoderCache<Tensor> {
  readonly #keysAndValues: DecoderCache<Tensor>;
  readonly #states: DecoderCache<Tensor>;

  constructor(keysAndValues: DecoderCache<Tensor>, states: DecoderCache<Tensor>) {
    this.#keysAndValues = keysAndValues;
    this.#states = states;
  }

  get rows(): number {
    return Math.min(this.#keysAndValues.rows, this.#states.rows);
  }

  get mostRows(): number {
    return Math.min(this.#keysAndValues.mostRows, this.#states.mostRows);
  }

  get bytes(): number {
    return this.#keysAndValues.bytes + this.#states.bytes;
  }

  bytesAt(rows: number): number {
    return this.#keysAndValues.bytesAt(rows) + this.#states.bytesAt(rows);
  }

  async grow(rows: number, kept: number): Promise<void> {
    // The states first: when the second of the two has no room, the first has only more room than it needs.
    await this.#states.grow(rows, kept);
    await this.#keysAndValues.grow(rows, kept);
  }

  rewind(length: number): number {
    return this.#keysAndValues.rewind(this.#states.rewind(length));
  }

  bind(past: number, count: number): PassTensors<Tensor> {
    const [a, b] = [this.#keysAndValues.bind(past, count), this.#states.bind(past, count)];
    return { past: [...a.past, ...b.past], present: [...a.present, ...b.present] };
  }

  keep(length: number): void {
    this.#keysAndValues.keep(length);
    this.#states.keep(length);
  }

  free(): void {
    this.#keysAndValues.free();
    this.#states.free();
  }
}
