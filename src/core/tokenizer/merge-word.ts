/**
 * Byte-pair merges of one long word, in steps. @huggingface/tokenizers makes several objects for each character and a new name
 * for each pair: a word of 660,000 characters, such as a line of "=", takes 14 s and 600 MB. This file does the same merges in
 * the same order, with arrays of numbers. `merge-word.test.ts` compares both.
 */
import { type ResumableWork, workPerStep } from "../base/resumable-work.ts";

/** The rank of each pair. The key is the library's name for a pair: JSON of both parts. */
export type PairRanks = ReadonlyMap<string, number>;

/** The parts of a word after all merges, as texts of the vocabulary. */
export function* mergeWord(word: string, ranks: PairRanks): ResumableWork<string[]> {
  const pairs = new Pairs(ranks);
  // One place for each UTF-16 unit, although some characters have two units.
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
  /** The rank of the pair; -1 if the pair does not merge. */
  readonly rank: number;
  /** The part that both become; -1 until they merge. */
  merged: number;
}

/** Parts of a word by number, and the pairs that were looked up. */
class Pairs {
  readonly #ranks: PairRanks;
  readonly #texts: string[] = [];
  readonly #parts = new Map<string, number>();
  /** Pairs by left part, then by right part. */
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

/** A priority queue of numbers, smallest first (a binary heap). */
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
