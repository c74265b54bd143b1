/** Where runs are kept in the browser: a table of IndexedDB, as a run can be larger than `localStorage` holds. */

/** Values by key, in the order of their keys. */
export interface RunTable {
  read(key: string): Promise<unknown>;
  /** The values of all keys that begin with `prefix`. */
  readAll(prefix: string): Promise<readonly (readonly [key: string, value: unknown])[]>;
  /**
   * Removes every key that begins with one of `remove` and then writes the entries, all in one transaction: all of it
   * happens or none.
   */
  write(
    entries: readonly (readonly [key: string, value: unknown])[],
    remove?: readonly string[],
  ): Promise<void>;
}

const database = "midtoken.v1";
const table = "runs";

export function browserRunTable(): RunTable {
  return {
    read: (key) => inTable("readonly", (store) => [store.get(key)]).then(([value]) => value),
    async readAll(prefix) {
      const [keys, values] = await inTable("readonly", (store) => [
        store.getAllKeys(startingWith(prefix)),
        store.getAll(startingWith(prefix)),
      ]);
      return (keys as string[]).map((key, index) => [key, (values as unknown[])[index]] as const);
    },
    async write(entries, remove = []) {
      await inTable("readwrite", (store) => [
        ...remove.map((prefix) => store.delete(startingWith(prefix))),
        ...entries.map(([key, value]) => store.put(value, key)),
      ]);
    },
  };
}

function startingWith(prefix: string): IDBKeyRange {
  return IDBKeyRange.bound(prefix, `${prefix}\uffff`);
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(database, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(table);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("The browser's database cannot be opened."));
    request.onblocked = () =>
      reject(new Error("Another tab holds the browser's database; close it and reload."));
  });
}

/** The results of requests of one transaction, once it is complete. */
async function inTable(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => readonly IDBRequest[],
): Promise<readonly unknown[]> {
  const opened = await open();
  try {
    return await new Promise((resolve, reject) => {
      const transaction = opened.transaction(table, mode);
      const requests = act(transaction.objectStore(table));
      transaction.oncomplete = () => resolve(requests.map(({ result }) => result as unknown));
      const fail = () => reject(transaction.error ?? new Error("The browser's database refused."));
      transaction.onerror = fail;
      transaction.onabort = fail;
    });
  } finally {
    opened.close();
  }
}
