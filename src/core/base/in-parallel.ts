/** A few pieces of work at once. */

export interface InParallelOptions {
  /** Pieces of work that are under way at most. */
  readonly atOnce: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Does `work` for each item, in order, a few at once. The first failure ends the others by the signal that they are given, and is
 * thrown once they have ended.
 * @returns what came of each, in the order of the items. @throws the first failure; the signal's reason.
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  { atOnce, signal }: InParallelOptions,
  work: (item: Item, signal: AbortSignal) => Promise<Result>,
): Promise<Result[]> {
  const failing = new AbortController();
  const joint = signal ? AbortSignal.any([signal, failing.signal]) : failing.signal;
  const results: Result[] = [];
  const failures: unknown[] = [];
  // Each line takes the next item that is left.
  const left = items.entries();
  const line = async (): Promise<void> => {
    for (const [index, item] of left) {
      joint.throwIfAborted();
      results[index] = await work(item, joint);
    }
  };
  const guarded = async (): Promise<void> => {
    await line().catch((failure: unknown) => {
      failures.push(failure);
      failing.abort(failure);
    });
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, guarded));
  if (failures.length > 0) throw failures[0];
  return results;
}
