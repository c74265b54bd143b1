/** Does several pieces of work at the same time. */

export interface InParallelOptions {
  /** The most pieces of work at the same time. */
  readonly atOnce: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls `work` for each item, in order, at most `atOnce` at the same time. The first failure aborts the signal of all other
 * calls, and is thrown once they have ended.
 * @returns the results in the order of the items. @throws the first failure; the signal's reason.
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
  // Each `line` takes the next item from the shared iterator.
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
