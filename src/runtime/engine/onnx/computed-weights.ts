/** Computes weights one at a time, when the runtime asks for them, so that JavaScript never holds all weights in float32. */
import type { ExternalData, WeightBytes } from "../base/weight-bytes.ts";

export class ComputedWeights {
  readonly #files = new Map<string, WeightBytes>();
  #scratch = new ArrayBuffer(0);

  /** Adds a weight of `length` bytes, which `compute` writes whenever it is read. @returns its location: an external file of its own */
  add(
    length: number,
    compute: (target: ArrayBuffer) => void,
  ): { location: string; offset: number; length: number } {
    const location = `computed_${this.#files.size}`;
    this.#files.set(location, {
      byteLength: length,
      subarray: (begin, end) => {
        if (this.#scratch.byteLength < length) this.#scratch = new ArrayBuffer(length);
        compute(this.#scratch);
        return new Uint8Array(this.#scratch, begin, end - begin);
      },
    });
    return { location, offset: 0, length };
  }

  /** The computed weights and the files of `external`. A result of `subarray` stays valid until the next call. */
  filesWith(external: ExternalData): ExternalData {
    return new Map([...external, ...this.#files]);
  }
}
