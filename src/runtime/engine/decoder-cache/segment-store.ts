/** Copies of parts of a cache, each in memory of its own. They implement `CacheSegments` (see LanguageModel). */
import type { CacheSegment } from "../../../core/decoder/ports/language-model.ts";

export interface SegmentStore {
  /** The most bytes that `save` allocates for these tokens. */
  bytesOf(from: number, to: number): number;
  /**
   * Copies the cached tokens from `from` to `to`, all of which must be cached.
   * @throws RangeError if memory is short; nothing has changed
   */
  save(from: number, to: number): Promise<CacheSegment>;
  /**
   * Fills the cache with the first `length` tokens of these consecutive segments (see `segmentPieces`). The cache must have room
   * for them.
   */
  load(segments: readonly CacheSegment[], length: number): void;
  free(segment: CacheSegment): void;
}

/** The used part of a segment: up to the beginning of the next one. */
export interface SegmentPiece {
  readonly segment: CacheSegment;
  readonly end: number;
}

/** @throws RangeError if the segments do not contain the first `length` tokens. */
export function segmentPieces(segments: readonly CacheSegment[], length: number): SegmentPiece[] {
  let start = 0;
  const all = segments.map((segment, i) => {
    const end = segments[i + 1]?.from ?? length;
    if (segment.from !== start || end <= start || end > segment.to)
      throw new RangeError(
        `A cached segment covers tokens ${segment.from} to ${segment.to} instead of tokens ${start} to ${end}.`,
      );
    start = end;
    return { segment, end };
  });
  if (start !== length) throw new RangeError(`Only ${start} of ${length} tokens are cached.`);
  return all;
}
