/**
 * Finds the vectors under which each token of the text before a step was computed. With these vectors, the layers of that step
 * can be computed again. Pure.
 */
import type { TraceRecord } from "../format/format.ts";
import { createSteeringFollower, type SteeredPlaceRange } from "./steering.ts";
import { noIndex } from "./token-table.ts";
import type { TraceModel } from "./trace-model.ts";
import { vectorsByDigest } from "./vector-index.ts";

/** Tokens of a text that were computed under the same vectors. */
export interface SteeredSpan {
  /** Places in the text (prompt, then output): from `from` up to, but not including, `to`. */
  readonly from: number;
  readonly to: number;
  /** Vectors that are added, in this order. */
  readonly vectors: readonly {
    readonly layer: number;
    readonly vector: Float32Array;
    readonly scale: number;
  }[];
  /** The vectors that replaced a layer's output at the last token of the span, after the steering. */
  readonly patches: readonly { readonly layer: number; readonly vector: Float32Array }[];
}

/** The steered spans, in the order of their places; or the digests of vectors whose numbers the trace lacks. */
export type SteeredSpans =
  | { readonly spans: readonly SteeredSpan[]; readonly missing: null }
  | { readonly spans: null; readonly missing: readonly number[] };

/**
 * The spans of steered tokens after the record with this number. After a `forwardPass` record: of all tokens that the pass has
 * read.
 * @param length covers only the first tokens.
 */
export function steeredSpansAtRecord(
  records: readonly TraceRecord[],
  record: number,
  length = Number.POSITIVE_INFINITY,
): SteeredSpans {
  const follower = createSteeringFollower();
  for (let number = 0; number <= record; number += 1) {
    const each = records[number];
    if (each) follower.take(each);
  }
  return withNumbers(records, cutTo(follower.places, length));
}

/**
 * The spans of steered tokens before an emitted token: `promptLength` tokens of the prompt, and the output before the token.
 * If a mod added the token, the vectors are taken from the pass that later read the token.
 */
export function steeredSpansBefore(trace: TraceModel, index: number, promptLength: number): SteeredSpans {
  const { step, forwardRecord, scoredRecord, addedRecord } = trace.tokens;
  const known = [forwardRecord[index], scoredRecord[index], addedRecord[index]];
  const record = known.find((number) => number !== undefined && number !== noIndex) ?? noIndex;
  return steeredSpansAtRecord(trace.records, record, promptLength + (step[index] ?? 0));
}

function cutTo(places: readonly SteeredPlaceRange[], length: number): readonly SteeredPlaceRange[] {
  return places.flatMap(({ from, to, by }) => {
    if (to <= length) return [{ from, to, by }];
    // A patch acts on the last token of its span.
    return from < length ? [{ from, to: length, by: { ...by, patches: [] } }] : [];
  });
}

function withNumbers(records: readonly TraceRecord[], places: readonly SteeredPlaceRange[]): SteeredSpans {
  if (places.length === 0) return { spans: [], missing: null };
  const numbers = vectorsByDigest(records);
  const missing = new Set<number>();
  const vectorOf = (digest: number) => {
    const vector = numbers.get(digest);
    if (!vector) missing.add(digest);
    return vector ?? new Float32Array();
  };
  const spans = places.map(({ from, to, by }) => ({
    from,
    to,
    vectors: by.mods.flatMap(({ vectors }) =>
      vectors.map(({ layer, scale, vector }) => ({ layer, scale, vector: vectorOf(vector.digest) })),
    ),
    patches: by.patches.map(({ layer, vector }) => ({ layer, vector: vectorOf(vector.digest) })),
  }));
  return missing.size > 0 ? { spans: null, missing: [...missing] } : { spans, missing: null };
}
