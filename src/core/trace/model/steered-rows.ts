/**
 * Under which vectors each token of the text was computed that led to a step: what has to be known to compute the inside of that
 * step again. Pure.
 */
import type { TraceRecord } from "../format/format.ts";
import { vectorIndex } from "../format/vectors.ts";
import { followSteering, type SteeredPlaces } from "./steering.ts";
import { none } from "./token-table.ts";
import type { TraceModel } from "./trace-model.ts";

/** Tokens of a text that were computed under the same vectors. */
export interface SteeredSpan {
  /** Places in the text, prompt and output: from `from` up to, and without, `to`. */
  readonly from: number;
  readonly to: number;
  /** Vectors that add up. */
  readonly vectors: readonly {
    readonly layer: number;
    readonly vector: Float32Array;
    readonly scale: number;
  }[];
  /** The vectors that replaced the state after these layers at the last token of the span. Steering came first. */
  readonly patches: readonly { readonly layer: number; readonly vector: Float32Array }[];
}

/** The spans in the order of their places, without those that nothing steered; or the digests of the vectors that the trace has not. */
export type SteeredRows =
  | { readonly spans: readonly SteeredSpan[]; readonly missing: null }
  | { readonly spans: null; readonly missing: readonly number[] };

/**
 * The spans of steered tokens after the record with this number: after a `forwardPass`, over all tokens that the pass
 * has read.
 * @param length covers only the first tokens
 */
export function steeredRowsAfter(
  records: readonly TraceRecord[],
  record: number,
  length = Number.POSITIVE_INFINITY,
): SteeredRows {
  const follower = followSteering();
  for (let number = 0; number <= record; number += 1) {
    const each = records[number];
    if (each) follower.take(each);
  }
  return withNumbers(records, cutTo(follower.places, length));
}

/**
 * The spans of steered tokens before an emitted token: `promptLength` tokens of the prompt, and the output before the
 * token. For a token that a mod added, the text as the pass computed it that read the token.
 */
export function steeredRowsBefore(trace: TraceModel, index: number, promptLength: number): SteeredRows {
  const { step, forwardRecord, scoredRecord, addedRecord } = trace.tokens;
  const known = [forwardRecord[index], scoredRecord[index], addedRecord[index]];
  const record = known.find((number) => number !== undefined && number !== none) ?? none;
  return steeredRowsAfter(trace.records, record, promptLength + (step[index] ?? 0));
}

function cutTo(places: readonly SteeredPlaces[], length: number): readonly SteeredPlaces[] {
  return places.flatMap(({ from, to, by }) => {
    if (to <= length) return [{ from, to, by }];
    // A patch is at the last token of its span.
    return from < length ? [{ from, to: length, by: { ...by, patches: [] } }] : [];
  });
}

function withNumbers(records: readonly TraceRecord[], places: readonly SteeredPlaces[]): SteeredRows {
  if (places.length === 0) return { spans: [], missing: null };
  const numbers = vectorIndex(records);
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
