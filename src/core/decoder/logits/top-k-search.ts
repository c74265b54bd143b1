/** Finds the most likely tokens of a row of logits and of its edited copies. */
import type { TokenId } from "../../sdk/request.ts";
import type { OverwrittenLogits } from "./differences.ts";
import { nextPlaceAbove } from "./logits-search.ts";

/**
 * Searches the model's own logits once, for more tokens than requested, and then corrects the list by the differences: an edit bans
 * a few tokens and raises a few others.
 */
export class TopKSearch {
  readonly #before: Float32Array;
  /** The top tokens of `before`. The list is longer than requested, because an edit may remove some of them. */
  #base: Int32Array = new Int32Array();
  /** The largest number of tokens that was asked for. */
  #count = 0;

  /** @param before is not changed. */
  constructor(before: Float32Array) {
    this.#before = before;
  }

  /** Prepares the list that `of` needs for this many tokens, if it is not prepared yet. */
  prepare(count: number): void {
    if (count <= this.#count) return;
    this.#count = count;
    this.#base = largestTokens(this.#before, 2 * count);
  }

  /** The `count` most likely tokens of `after`, sorted; among equals the lower id first; never -Infinity. `differences` from `before`: null if too many differ. */
  of(after: Float32Array, count: number, differences: OverwrittenLogits | null): Int32Array {
    if (differences === null) return largestTokens(after, count);
    this.prepare(count);
    if (differences.size === 0) return this.#base.slice(0, count);
    const last = this.#base.at(-1) ?? 0;
    const border = this.#before[last] ?? Number.NEGATIVE_INFINITY;
    // Unchanged tokens outside the base come after its last token. So a changed token's place is certain only if the token comes
    // before the last token of the base.
    const hasCertainPlace = (token: TokenId): boolean => {
      const logit = after[token] as number;
      return logit > border || (logit === border && token <= last);
    };
    const unchanged = this.#base.filter((token) => !differences.has(token));
    const changed = Array.from(differences.keys()).filter(hasCertainPlace);
    const found = Int32Array.from([...unchanged, ...changed]).sort(byLogit(after));
    return found.length < count ? largestTokens(after, count) : found.slice(0, count);
  }
}

const byLogit = (logits: Float32Array) => (a: TokenId, b: TokenId) =>
  (logits[b] as number) - (logits[a] as number) || a - b;

/**
 * Ids of the `count` largest logits, sorted; among equals the lower id first; never -Infinity. A heap holds the best tokens with the
 * worst on top. Nearly every logit is below that one, so a token usually costs one comparison.
 */
export function largestTokens(logits: Float32Array, count: number): Int32Array {
  if (count === 0) return new Int32Array(0);
  const heap = new Int32Array(Math.min(count, logits.length));
  let size = 0;
  let token = 0;
  for (; token < logits.length && size < heap.length; token++) {
    if ((logits[token] as number) > Number.NEGATIVE_INFINITY) heap[size++] = token;
  }
  for (let place = (size >> 1) - 1; place >= 0; place--) sink(heap, size, place, logits);
  let worst = logits[heap[0] as number] as number;
  for (token = nextPlaceAbove(logits, token, worst); token < logits.length; ) {
    heap[0] = token;
    sink(heap, size, 0, logits);
    worst = logits[heap[0] as number] as number;
    token = nextPlaceAbove(logits, token + 1, worst);
  }
  return heap.subarray(0, size).sort(byLogit(logits)).slice();
}

/** Whether `a` belongs above `b` in the heap: `a` is less likely, or equally likely with the higher id. */
function isWorse(logits: Float32Array, a: number, b: number): boolean {
  const difference = (logits[a] as number) - (logits[b] as number);
  return difference < 0 || (difference === 0 && a > b);
}

function sink(heap: Int32Array, size: number, start: number, logits: Float32Array): void {
  const moved = heap[start] as number;
  let place = start;
  for (;;) {
    let child = 2 * place + 1;
    if (child >= size) break;
    if (child + 1 < size && isWorse(logits, heap[child + 1] as number, heap[child] as number)) child++;
    if (!isWorse(logits, heap[child] as number, moved)) break;
    heap[place] = heap[child] as number;
    place = child;
  }
  heap[place] = moved;
}
