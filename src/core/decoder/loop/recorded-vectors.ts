/** The form of vectors in a trace: the numbers of a vector once, up to a limit, and afterwards only its digest. */
import type { Steering } from "../../sdk/action.ts";
import type { TraceSteering, TraceVector } from "../../trace/format/format.ts";
import { traceLimits } from "../../trace/format/limits.ts";
import { digestOfVector } from "../kv-cache/vector-digest.ts";

/** A vector as a trace records it without its numbers: digest and norm. */
export function vectorWithoutNumbers(vector: Float32Array): TraceVector {
  const norm = Math.sqrt(vector.reduce((sum, number) => sum + number * number, 0));
  return { digest: digestOfVector(vector), norm, numbers: null };
}

export class RecordedVectors {
  /** The vectors whose numbers are in the trace. */
  readonly #kept = new Map<number, Float32Array>();
  #left = traceLimits.vectorNumbers;

  /** The vector in the form of the next record. The caller must not change `vector` afterwards. */
  of(vector: Float32Array): TraceVector {
    const named: { digest: number; norm: number; numbers: null } = {
      ...vectorWithoutNumbers(vector),
      numbers: null,
    };
    // A mod may make two vectors with the same digest. The numbers are compared too, so that the record names the right vector.
    for (
      let other = this.#kept.get(named.digest);
      other && !isSame(other, vector);
      other = this.#kept.get(named.digest)
    )
      named.digest = (named.digest + 1) >>> 0;
    if (this.#kept.has(named.digest) || vector.length > this.#left) return named;
    this.#keep(named.digest, vector);
    return { ...named, numbers: Array.from(vector) };
  }

  /** The numbers of a vector that the recorded request used, from this record or an earlier one; null if the trace has only its digest. Later records may name the vector by its digest. */
  taken({ digest, numbers }: TraceVector): Float32Array | null {
    if (numbers && !this.#kept.has(digest)) this.#keep(digest, Float32Array.from(numbers));
    return this.#kept.get(digest) ?? null;
  }

  #keep(digest: number, vector: Float32Array): void {
    this.#kept.set(digest, vector);
    this.#left -= vector.length;
  }
}

function isSame(a: Float32Array, b: Float32Array): boolean {
  return a.length === b.length && a.every((number, i) => number === b[i]);
}

/** Steering vectors as a trace record has them. `kept`: how the record has each vector. */
export function steeringsForTrace(
  steerings: readonly Steering[],
  kept: (vector: Float32Array) => TraceVector,
): TraceSteering[] {
  return steerings.map(({ layer, scale, vector }) => ({ layer, scale, vector: kept(vector) }));
}
