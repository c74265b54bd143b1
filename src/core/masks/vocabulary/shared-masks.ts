/**
 * Makes equal masks share one array. Most masks consist of a cached mask and a few more tokens, and equal masks come again
 * from state to state and from schema to schema: for example, the tokens that may follow a value, or the rest of a name.
 */
import { mixHash } from "../automaton/hash.ts";
import { setByteIdenticalTokens } from "./token-bits.ts";
import type { TokenList } from "./token-list.ts";

/** The parts of a mask: the tokens of `base`, if there is one, and `tokens`. */
interface Entry {
  readonly base: Uint32Array | null;
  readonly tokens: Int32Array;
  readonly mask: Uint32Array;
  /** The entry with the same hash that was added before this one. */
  readonly before: Entry | undefined;
}

/** Masks with more single tokens than this are not looked up, because they are rarely equal. */
const MOST_TOKENS = 1024;

/** The most bytes of cached masks for one vocabulary. */
const MOST_BYTES = 16 * 2 ** 20;

export class SharedMasks {
  readonly #words: number;
  readonly #byteIdenticalTokens: Int32Array;
  readonly #most: number;
  /** Entries by their hash, in two generations as in mask-cache.ts. */
  #older = new Map<number, Entry>();
  #newer = new Map<number, Entry>();
  #size = 0;
  /** Masks that already contain all tokens with equal bytes: if nothing is added to such a mask, `of` returns the mask itself. */
  readonly #made = new WeakSet<Uint32Array>();

  /** @param byteIdenticalTokens pairs: a token, and another token that is in every mask with it. */
  constructor(words: number, byteIdenticalTokens: Int32Array) {
    this.#words = words;
    this.#byteIdenticalTokens = byteIdenticalTokens;
    this.#most = Math.max(16, Math.floor(MOST_BYTES / 2 / (words * 4)));
  }

  /**
   * The mask of the tokens of all `ready` masks and of the list. The caller must not change the result, nor the ready masks
   * from now on.
   */
  of(ready: readonly Uint32Array[], list: TokenList): Uint32Array {
    const base = ready[0] ?? null;
    if (ready.length > 1 || list.length > MOST_TOKENS) return this.#make(ready, list);
    if (base !== null && list.length === 0 && this.#made.has(base)) return base;
    const hash = hashTokenList(list);
    const found = find(this.#newer.get(hash), base, list);
    if (found !== undefined) return found.mask;
    const old = find(this.#older.get(hash), base, list);
    const tokens = old?.tokens ?? list.tokens.slice(0, list.length);
    const mask = old?.mask ?? this.#make(ready, list);
    if (this.#size >= this.#most) {
      this.#older = this.#newer;
      this.#newer = new Map();
      this.#size = 0;
    }
    this.#size++;
    this.#newer.set(hash, { base, tokens, mask, before: this.#newer.get(hash) });
    return mask;
  }

  #make([first, ...others]: readonly Uint32Array[], list: TokenList): Uint32Array {
    const mask = first === undefined ? new Uint32Array(this.#words) : first.slice();
    for (const other of others) {
      for (let word = 0; word < mask.length; word++) (mask[word] as number) |= other[word] as number;
    }
    list.mark(mask);
    setByteIdenticalTokens(this.#byteIdenticalTokens, mask);
    this.#made.add(mask);
    return mask;
  }
}

/** A hash of the tokens in their order. */
export function hashTokenList({ tokens, length }: TokenList): number {
  let hash = length;
  for (let index = 0; index < length; index++) hash = Math.imul(hash ^ (tokens[index] as number), 0x01000193);
  return mixHash(hash, length);
}

function find(first: Entry | undefined, base: Uint32Array | null, list: TokenList): Entry | undefined {
  for (let entry = first; entry !== undefined; entry = entry.before) {
    if (entry.base === base && isSame(entry.tokens, list)) return entry;
  }
  return undefined;
}

function isSame(tokens: Int32Array, list: TokenList): boolean {
  if (tokens.length !== list.length) return false;
  for (let index = 0; index < tokens.length; index++) if (tokens[index] !== list.tokens[index]) return false;
  return true;
}
