/** Joins two stores of segments, for models that have both keys and values and recurrent states. */
import type { CacheSegment } from "../../../core/decoder/ports/language-model.ts";
import type { SegmentStore } from "./segment-store.ts";

export class JoinedSegments implements SegmentStore {
  readonly #stores: readonly SegmentStore[];
  /** For each joined segment, the segments of both stores. */
  readonly #parts = new Map<CacheSegment, readonly CacheSegment[]>();

  constructor(...stores: readonly SegmentStore[]) {
    this.#stores = stores;
  }

  bytesOf(from: number, to: number): number {
    return this.#stores.reduce((sum, store) => sum + store.bytesOf(from, to), 0);
  }

  async save(from: number, to: number): Promise<CacheSegment> {
    const parts: CacheSegment[] = [];
    try {
      for (const store of this.#stores) parts.push(await store.save(from, to));
    } catch (error) {
      this.#freeParts(parts);
      throw error;
    }
    const segment = { from, to, bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0) };
    this.#parts.set(segment, parts);
    return segment;
  }

  load(segments: readonly CacheSegment[], length: number): void {
    const parts = segments.map((segment) => this.#parts.get(segment) ?? []);
    for (const [i, store] of this.#stores.entries()) {
      store.load(
        parts.map((of) => of[i] as CacheSegment),
        length,
      );
    }
  }

  free(segment: CacheSegment): void {
    this.#freeParts(this.#parts.get(segment) ?? []);
    this.#parts.delete(segment);
  }

  #freeParts(parts: readonly CacheSegment[]): void {
    for (const [i, part] of parts.entries()) this.#stores[i]?.free(part);
  }
}
