/**
 * The steps of MurmurHash3 (Appleby, 2011), x86, 32 bits, without its last mixing. The same on every machine. Not
 * cryptographic: collisions can be made on purpose.
 */
export class Murmur {
  #hash: number;

  constructor(seed = 0) {
    this.#hash = seed;
  }

  /** Takes the low 32 bits of a number. */
  take(word: number): void {
    let bits = Math.imul(word, 0xcc9e2d51);
    bits = Math.imul((bits << 15) | (bits >>> 17), 0x1b873593);
    this.#hash ^= bits;
    this.#hash = (Math.imul((this.#hash << 13) | (this.#hash >>> 19), 5) + 0xe6546b64) | 0;
  }

  /** The hash of all bytes so far, from 0 to 2^32 - 1. */
  get value(): number {
    return this.#hash >>> 0;
  }
}
