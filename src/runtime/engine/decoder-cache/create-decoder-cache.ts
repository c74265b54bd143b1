/** Makes the cache of a graph by joining the parts that the graph needs. */
import type { DecoderGraph } from "../onnx/decoder-graph.ts";
import type { DecoderCache, PassCacheTensors } from "./decoder-cache.ts";
import type { DeviceMemory } from "./device-memory.ts";
import { GrowingCache } from "./growing-cache.ts";
import { JoinedSegments } from "./joined-segments.ts";
import type { SegmentStore } from "./segment-store.ts";
import { StateCache } from "./state-cache.ts";
import { StaticCache } from "./static-cache.ts";

/** The cache that a graph needs, with no memory for tokens yet. */
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

/** A cache with keys and values, and with states. */
class JoinedCache<Tensor> implements DecoderCache<Tensor> {
  readonly segments: SegmentStore;
  readonly #keysAndValues: DecoderCache<Tensor>;
  readonly #states: DecoderCache<Tensor>;

  constructor(keysAndValues: DecoderCache<Tensor>, states: DecoderCache<Tensor>) {
    this.#keysAndValues = keysAndValues;
    this.#states = states;
    this.segments = new JoinedSegments(keysAndValues.segments, states.segments);
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
    // States grow first. If keys and values then find no memory, the states only have more room than they need.
    await this.#states.grow(rows, kept);
    await this.#keysAndValues.grow(rows, kept);
  }

  rewind(length: number): number {
    return this.#keysAndValues.rewind(this.#states.rewind(length));
  }

  bind(past: number, count: number): PassCacheTensors<Tensor> {
    const keysAndValues = this.#keysAndValues.bind(past, count);
    const states = this.#states.bind(past, count);
    return {
      past: [...keysAndValues.past, ...states.past],
      present: [...keysAndValues.present, ...states.present],
    };
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
