/**
 * The tokens in the model's KV cache, and how many of them a text shares. The loop asks with the same list at each step, after it
 * added a token: only tokens that neither side had at the last question are compared, since a long text takes longer to compare
 * than a step of a server.
 *
 * Example: the cache holds [5, 6, 7]. `sharedLength` of the list [5, 6, 8] compares three tokens and gives 2. After `truncate(2)`
 * and `add([8])`, it compares one token and gives 3.
 */
import type { CacheKey } from "./cache-key.ts";

export class CachedText {
  #tokens: CacheKey[] = [];
  /** The list of the last question. */
  #compared: readonly CacheKey[] | null = null;
  /** First tokens of the list that are also those of the cache. */
  #shared = 0;

  get length(): number {
    return this.#tokens.length;
  }

  get tokens(): readonly CacheKey[] {
    return this.#tokens;
  }

  add(tokens: readonly CacheKey[]): void {
    for (const token of tokens) this.#tokens.push(token);
  }

  truncate(length: number): void {
    if (length >= this.#tokens.length) return;
    this.#tokens.length = length;
    this.#shared = Math.min(this.#shared, length);
  }

  replace(tokens: readonly CacheKey[]): void {
    this.#tokens = [...tokens];
    this.#compared = null;
  }

  /**
   * Number of first tokens that the list shares with the cache.
   * @param list tokens may be added to the list between two calls; a list with other or fewer tokens is another list
   */
  sharedLength(list: readonly CacheKey[]): number {
    let shared = list === this.#compared ? this.#shared : 0;
    const end = Math.min(this.#tokens.length, list.length);
    while (shared < end && this.#tokens[shared] === list[shared]) shared++;
    this.#compared = list;
    this.#shared = shared;
    return shared;
  }
}
