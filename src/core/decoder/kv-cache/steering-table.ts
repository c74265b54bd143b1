/** The steerings under which a KV cache has computed tokens, numbered: the same vectors are the same number. */

import type { SteeringVectors } from "../ports/model-layers.ts";
import { digestOfVector } from "./vector-digest.ts";

interface Entry {
  readonly id: number;
  readonly digest: number;
  readonly vectors: SteeringVectors;
}

const none: SteeringVectors = new Map();

/** Most floats, over all steering vectors, that one request may use, or that are kept for texts beside it: 64 MB. */
export const maximumSteeringFloats = 2 ** 24;

export class SteeringTable {
  readonly #byId = new Map<number, Entry>();
  readonly #byDigest = new Map<number, Entry[]>();
  #lastId = 0;
  #numbers = 0;

  /**
   * Gives equal vectors the same number, and 0 if there are no vectors or all are zeros. The caller must not change
   * the vectors afterwards.
   */
  idOf(vectors: SteeringVectors): number {
    const steering = withoutZeros(vectors);
    if (steering.size === 0) return 0;
    const digest = digestOf(steering);
    const alike = this.#byDigest.get(digest) ?? [];
    const known = alike.find((entry) => isSame(entry.vectors, steering));
    if (known) return known.id;
    this.#lastId += 1;
    const entry = { id: this.#lastId, digest, vectors: steering };
    this.#byId.set(entry.id, entry);
    this.#numbers += numbersIn(steering);
    this.#byDigest.set(digest, [...alike, entry]);
    return entry.id;
  }

  /** @throws Error for a number that the table does not have. */
  vectorsOf(id: number): SteeringVectors {
    if (id === 0) return none;
    const entry = this.#byId.get(id);
    if (!entry) throw new Error(`The table has no steering entry ${id}.`);
    return entry.vectors;
  }

  /** How many steerings the table holds. */
  get size(): number {
    return this.#byId.size;
  }

  /** How many floats the vectors of all steerings in the table have together. */
  get numbers(): number {
    return this.#numbers;
  }

  /** Forgets all other steerings. Their numbers are not used again. */
  keepOnly(ids: ReadonlySet<number>): void {
    for (const entry of this.#byId.values()) {
      if (ids.has(entry.id)) continue;
      this.#byId.delete(entry.id);
      this.#numbers -= numbersIn(entry.vectors);
      const alike = (this.#byDigest.get(entry.digest) ?? []).filter((each) => each !== entry);
      if (alike.length > 0) this.#byDigest.set(entry.digest, alike);
      else this.#byDigest.delete(entry.digest);
    }
  }
}

function numbersIn(vectors: SteeringVectors): number {
  let numbers = 0;
  for (const { length } of vectors.values()) numbers += length;
  return numbers;
}

function withoutZeros(vectors: SteeringVectors): SteeringVectors {
  const entries = [...vectors].filter(([, vector]) => vector.some((number) => number !== 0));
  return new Map(entries.toSorted(([a], [b]) => a - b));
}

function digestOf(vectors: SteeringVectors): number {
  let digest = 0;
  for (const [layer, vector] of vectors)
    digest = (Math.imul(digest, 31) + Math.imul(layer + 1, 0x9e3779b1) + digestOfVector(vector)) | 0;
  return digest;
}

function isSame(a: SteeringVectors, b: SteeringVectors): boolean {
  if (a.size !== b.size) return false;
  for (const [layer, vector] of a) {
    const other = b.get(layer);
    if (other?.length !== vector.length || vector.some((number, i) => number !== other[i])) return false;
  }
  return true;
}
