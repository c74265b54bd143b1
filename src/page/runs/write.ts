/** Helpers for every change of the database. */

/** Makes the writes of a transaction and waits until they are saved. If a write fails, none is saved. */
export async function writeInTransaction(
  transaction: { readonly done: Promise<void>; abort(): void },
  writes: readonly (() => unknown)[],
): Promise<void> {
  const made: unknown[] = [transaction.done];
  try {
    // A value that cannot be stored throws here. Without the abort, the earlier writes of the transaction would be saved.
    for (const each of writes) made.push(each());
    await Promise.all(made);
  } catch (cause) {
    try {
      transaction.abort();
    } catch {
      // The transaction was already aborted.
    }
    await Promise.allSettled(made);
    throw cause;
  }
}

/** The range of keys that begin with an id: the pieces of a run, the outcomes of an experiment. */
export const keysBeginningWith = (id: string) => IDBKeyRange.bound([id], [id, []]);

/** A store, or an index of a store, in which a key can be looked up. */
interface Lookup {
  getKey(id: string): Promise<unknown>;
}

/** Whether any of the stores has the id. */
export async function isInAnyStore(lookups: readonly Lookup[], id: string): Promise<boolean> {
  const keys = await Promise.all(lookups.map((lookup) => lookup.getKey(id)));
  return keys.some((key) => key !== undefined);
}
