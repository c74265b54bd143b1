/** Shared parts of the conformance checks: texts to read, and comparisons that throw. */
import type { LanguageModel } from "./language-model.ts";

export type ExpectSameLogits = (what: string, a: Float32Array, b: Float32Array) => void;

/** Repeatable tokens of the vocabulary. */
export function someTokens(vocabularySize: number, count: number, seed = 1): number[] {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * vocabularySize);
  });
}

/** Logits after `tokens`, in one pass on an empty context. */
export async function logitsFromScratch(
  model: LanguageModel,
  tokens: readonly number[],
): Promise<Float32Array> {
  model.truncate(0);
  return model.forward(tokens);
}

/**
 * Logits after each of some lengths of a text, in ascending order, in one pass on an empty context. A model that computes only
 * the last row reads each length in a pass of its own.
 */
export async function logitsAlongText(
  model: LanguageModel,
  text: readonly number[],
  lengths: readonly number[],
): Promise<Float32Array[]> {
  const [shortest, longest] = [lengths[0] ?? 0, lengths.at(-1) ?? 0];
  const width = model.vocabularySize;
  model.truncate(0);
  const rows = await model.forward(text.slice(0, longest), longest - shortest + 1);
  const areAllThere = rows.length === (longest - shortest + 1) * width;
  const found: Float32Array[] = [];
  for (const length of lengths) {
    const start = (length - shortest) * width;
    found.push(
      areAllThere ? rows.slice(start, start + width) : await logitsFromScratch(model, text.slice(0, length)),
    );
  }
  return found;
}

export const empty = new Float32Array(0);

/** Largest absolute difference. @throws Error when the lengths differ. */
export function largestDifference(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length || a.length === 0)
    throw new Error(`${a.length} logits cannot be compared with ${b.length} logits.`);
  let largest = 0;
  for (let i = 0; i < a.length; i++) {
    const difference = Math.abs((a[i] as number) - (b[i] as number));
    // A comparison with NaN is false, and NaN must not count as equal.
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}

export function expectClose(what: string, a: Float32Array, b: Float32Array, tolerance: number): void {
  const difference = largestDifference(a, b);
  if (!(difference <= tolerance))
    throw new Error(`${what}: logits differ by ${difference}, more than ${tolerance}.`);
}

export function expectFinite(logits: Float32Array): void {
  if (!logits.every(Number.isFinite)) throw new Error("Some logits are not finite numbers.");
}

export function expectEqual(what: string, actual: number, expected: number): void {
  if (actual !== expected) throw new Error(`${what} is ${actual} instead of ${expected}.`);
}

export async function expectThrows(
  what: string,
  call: () => Promise<unknown>,
  kind: new (...parts: never[]) => Error,
): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (error instanceof kind) return;
    throw new Error(`${what}: the call threw ${String(error)} instead of a ${kind.name}.`, { cause: error });
  }
  throw new Error(`${what}: the call did not throw a ${kind.name}.`);
}
