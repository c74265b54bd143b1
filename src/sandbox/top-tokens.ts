/** The most likely tokens of a row of logits, as a guest is sent them. */
import { exponential } from "../decoder/exponential.ts";
import { nextAbove } from "../decoder/logits-search.ts";
import type { WireTop } from "../sdk/wire-event.ts";

/** The `count` most likely tokens, sorted; of equals the lower id first. -Infinity is never among them. `logSumExp` saves a pass over the row. */
export function topOf(logits: Float32Array, count: number, logSumExp?: number): WireTop {
  const tokens = largest(logits, Math.min(count, logits.length));
  const first = logits[tokens[0] ?? 0] ?? Number.NEGATIVE_INFINITY;
  const total = logSumExp ?? (tokens.length === 0 ? 0 : logSumExpAbout(logits, first));
  return { tokens, logprobs: Float32Array.from(tokens, (token) => (logits[token] ?? 0) - total) };
}

function logSumExpAbout(logits: Float32Array, largestLogit: number): number {
  let sum = 0;
  for (let token = 0; token < logits.length; token++)
    sum += exponential((logits[token] as number) - largestLogit);
  return largestLogit + Math.log(sum);
}

/**
 * Keeps the best in a heap with the worst on top. Nearly every logit fails one comparison, so the row is read
 * at the speed of that comparison.
 */
function largest(logits: Float32Array, count: number): Int32Array {
  if (count === 0) return new Int32Array(0);
  const heap = new Int32Array(count);
  let size = 0;
  let token = 0;
  for (; token < logits.length && size < count; token++) {
    if ((logits[token] as number) > Number.NEGATIVE_INFINITY) heap[size++] = token;
  }
  for (let place = (size >> 1) - 1; place >= 0; place--) sink(heap, size, place, logits);
  let worst = logits[heap[0] as number] as number;
  for (token = nextAbove(logits, token, worst); token < logits.length; ) {
    heap[0] = token;
    sink(heap, size, 0, logits);
    worst = logits[heap[0] as number] as number;
    token = nextAbove(logits, token + 1, worst);
  }
  return heap
    .subarray(0, size)
    .sort((a, b) => (logits[b] as number) - (logits[a] as number) || a - b)
    .slice();
}

/** True when `a` belongs above `b` in the heap: less likely, or as likely with the higher id. */
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
