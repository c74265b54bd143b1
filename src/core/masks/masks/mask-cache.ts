/** Caches masks by state, up to a budget of memory. A mask that was dropped is computed again. */

/** The most bytes of cached masks for one constraint. */
const MOST_BYTES = 24 * 2 ** 20;

export class MaskCache {
  readonly #most: number;
  #older = new Map<number, Uint32Array>();
  #newer = new Map<number, Uint32Array>();

  /** @param words 32-bit words of each mask. */
  constructor(words: number) {
    this.#most = Math.max(16, Math.floor(MOST_BYTES / 2 / (words * 4)));
  }

  get(state: number): Uint32Array | undefined {
    const found = this.#newer.get(state);
    if (found !== undefined) return found;
    const old = this.#older.get(state);
    if (old !== undefined) this.set(state, old);
    return old;
  }

  /** The cache has two generations: when the newer one is full, masks that were not used since the last change are dropped. */
  set(state: number, mask: Uint32Array): void {
    if (this.#newer.size >= this.#most) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(state, mask);
  }

  clear(): void {
    this.#older.clear();
    this.#newer.clear();
  }
}
