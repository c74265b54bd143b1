/** Finds where the last tokens of a text occurred before: an index of the text's n-grams that grows and shrinks with the text. */
import { mix32 } from "../../base/random.ts";
import { commonPrefixLength } from "../../base/shared-length.ts";
import type { TokenId } from "../../sdk/request.ts";

/** An earlier place in the text after the same tokens as at the end of the text. */
export interface NgramMatch {
  /** Index of the token that followed at the earlier place. */
  readonly next: number;
  /** How many tokens before `next` equal the last tokens of the text; `longestMatch` at most. */
  readonly length: number;
}

export const longestMatch = 16;

/** The longest n-grams in the index. A longer match is found by extending a match of this length. */
const largest = 3;
/** How many places of one n-gram are compared, newest first. In a text that repeats one token, every place matches. */
const mostPlaces = 8;
const none = -1;

export class NgramIndex {
  readonly #tokens: TokenId[] = [];
  /** For each n, by the hash of an n-gram: the index of the token after its newest place. */
  readonly #newest = Array.from({ length: largest }, () => new Map<number, number>());
  /**
   * For each n, by the index of the token after an n-gram: the index of the token after the previous n-gram with this hash.
   */
  readonly #older: number[][] = Array.from({ length: largest }, () => []);

  get tokens(): readonly TokenId[] {
    return this.#tokens;
  }

  /** Changes the index to that of `tokens`, from the first token that differs. `each` is called before a token is added, `gone` for each removed index. */
  follow(tokens: readonly TokenId[], each?: (token: TokenId) => void, gone?: (index: number) => void): void {
    const shared = commonPrefixLength(this.#tokens, tokens);
    while (this.#tokens.length > shared) {
      this.#removeLast();
      gone?.(this.#tokens.length);
    }
    for (let index = shared; index < tokens.length; index++) {
      const token = tokens[index] as TokenId;
      each?.(token);
      this.#append(token);
    }
  }

  /** The longest match among the newest places, the newest of equally long ones; null if the last token is new. */
  match(): NgramMatch | null {
    for (let n = largest; n > 0; n--) {
      const found = this.#longestOf(n);
      if (found) return found;
    }
    return null;
  }

  #longestOf(n: number): NgramMatch | null {
    const end = this.#tokens.length;
    if (end <= n) return null;
    // The newest place is the end of the text itself, so the search begins at the place before it.
    let place = this.#older[n - 1]?.[end] ?? none;
    let best: NgramMatch | null = null;
    for (let looked = 0; place !== none && looked < mostPlaces; looked++) {
      const length = this.#matchAt(place);
      if (length >= n && length > (best?.length ?? 0)) best = { next: place, length };
      place = this.#older[n - 1]?.[place] ?? none;
    }
    return best;
  }

  #matchAt(place: number): number {
    const end = this.#tokens.length;
    let length = 0;
    while (length < longestMatch && this.#tokens[place - 1 - length] === this.#tokens[end - 1 - length]) {
      length++;
      if (length >= place) break;
    }
    return length;
  }

  #append(token: TokenId): void {
    this.#tokens.push(token);
    const end = this.#tokens.length;
    for (let n = 1; n <= largest && n <= end; n++) {
      const hash = this.#hash(n);
      const newest = this.#newest[n - 1];
      (this.#older[n - 1] as number[])[end] = newest?.get(hash) ?? none;
      newest?.set(hash, end);
    }
  }

  #removeLast(): void {
    const end = this.#tokens.length;
    for (let n = 1; n <= largest && n <= end; n++) {
      const hash = this.#hash(n);
      const older = this.#older[n - 1]?.[end] ?? none;
      if (older === none) this.#newest[n - 1]?.delete(hash);
      else this.#newest[n - 1]?.set(hash, older);
    }
    this.#tokens.pop();
  }

  /** The hash of the last n tokens. Two n-grams may share a hash, so the caller compares the tokens. */
  #hash(n: number): number {
    let hash = n;
    for (let i = this.#tokens.length - n; i < this.#tokens.length; i++) {
      hash = mix32(hash + (this.#tokens[i] as number));
    }
    return hash;
  }
}
