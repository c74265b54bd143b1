/**
 * Byte-pair merges of one long word, in steps. @huggingface/tokenizers makes several objects for each character and builds each
 * pair's name anew: a word of 660,000 characters, such as a line of "=", takes it 14 s and 600 MB. The merges here are the same,
 * in the same order, in arrays of numbers. `merge-word.test.ts` compares both.
 */
import { type Steps, workPerStep } from "../base/steps.ts";

/** The rank of a pair by its name, as the library keeps it: JSON of both parts. */
export type PairRanks = ReadonlyMap<string, number>;

/** The parts of a word after all merges, as texts of the vocabulary. */
export function* mergeWord(word: string, ranks: PairRanks): Steps<string[]> {
  const pairs = new Pairs(ranks);
  // As many places as UTF-16 units; there are fewer characters if some have two.
  const parts = new Int32Array(word.length);
  let length = 0;
  for (const character of word) {
    parts[length++] = pairs.partOf(character);
    if (length % workPerStep === 0) yield 0;
  }
  const next = new Int32Array(length);
  const previous = new Int32Array(length);
  /** Rank of the pair that begins at a place; -1 for a pair that does not merge, and for a place that was merged away. */
  const rankAt = new Int32Array(length);
  const queue = new Queue(length);
  const look = (at: number): void => {
    const right = at < 0 ? length : (next[at] as number);
    if (right >= length) {
      if (at >= 0) rankAt[at] = -1;
      return;
    }
    const { rank } = pairs.pairOf(parts[at] as number, parts[right] as number);
    rankAt[at] = rank;
    // If two pairs have the same rank, the left one merges first.
    if (rank >= 0) queue.push(rank * length + at);
  };
  for (let at = 0; at < length; at++) {
    next[at] = at + 1;
    previous[at] = at - 1;
    look(at);
    if (at % workPerStep === 0) yield (0.3 * at) / length;
  }
  for (let turn = 0; queue.size > 0; turn++) {
    if (turn % workPerStep === 0) yield 0.5;
    const key = queue.pop();
    const at = key % length;
    if (rankAt[at] !== (key - at) / length) continue;
    const right = next[at] as number;
    parts[at] = pairs.merged(parts[at] as number, parts[right] as number);
    rankAt[right] = -1;
    const after = next[right] as number;
    next[at] = after;
    if (after < length) previous[after] = at;
    look(previous[at] as number);
    look(at);
  }
  const result: string[] = [];
  for (let at = 0; at < length; at = next[at] as number) result.push(pairs.textOf(parts[at] as number));
  return result;
}

interface Pair {
  /** -1 for a pair that does not merge. */
  readonly rank: number;
  /** The part that both become; -1 until they merge. */
  merged: number;
}

/** Parts of a word by number, and the pairs that were looked up. */
class Pairs {
  readonly #ranks: PairRanks;
  readonly #texts: string[] = [];
  readonly #parts = new Map<string, number>();
  /** By the left part, then by the right one. */
  readonly #pairs: Map<number, Pair>[] = [];

  constructor(ranks: PairRanks) {
    this.#ranks = ranks;
  }

  partOf(text: string): number {
    let part = this.#parts.get(text);
    if (part === undefined) {
      part = this.#texts.push(text) - 1;
      this.#parts.set(text, part);
      this.#pairs.push(new Map());
    }
    return part;
  }

  textOf(part: number): string {
    return this.#texts[part] ?? "";
  }

  pairOf(left: number, right: number): Pair {
    const ofLeft = this.#pairs[left] as Map<number, Pair>;
    let pair = ofLeft.get(right);
    if (!pair) {
      const name = JSON.stringify([this.textOf(left), this.textOf(right)]);
      pair = { rank: this.#ranks.get(name) ?? -1, merged: -1 };
      ofLeft.set(right, pair);
    }
    return pair;
  }

  merged(left: number, right: number): number {
    const pair = this.pairOf(left, right);
    if (pair.merged < 0) pair.merged = this.partOf(this.textOf(left) + this.textOf(right));
    return pair.merged;
  }
}

/** Numbers, the smallest first: a binary heap. */
class Queue {
  #keys: Float64Array;
  size = 0;

  constructor(capacity: number) {
    this.#keys = new Float64Array(Math.max(capacity, 16));
  }

  push(key: number): void {
    if (this.size === this.#keys.length) {
      const larger = new Float64Array(2 * this.size);
      larger.set(this.#keys);
      this.#keys = larger;
    }
    const keys = this.#keys;
    let at = this.size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if ((keys[parent] as number) <= key) break;
      keys[at] = keys[parent] as number;
      at = parent;
    }
    keys[at] = key;
  }

  /** Removes the first entry. The queue must not be empty. */
  pop(): number {
    const keys = this.#keys;
    const first = keys[0] as number;
    const key = keys[--this.size] as number;
    let at = 0;
    for (let child = 1; child < this.size; child = 2 * at + 1) {
      if (child + 1 < this.size && (keys[child + 1] as number) < (keys[child] as number)) child++;
      if ((keys[child] as number) >= key) break;
      keys[at] = keys[child] as number;
      at = child;
    }
    keys[at] = key;
    return first;
  }
}
