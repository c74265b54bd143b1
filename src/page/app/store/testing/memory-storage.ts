import { createPageMemoryStorage as unlimitedStorage } from "../browser-storage.ts";

/**
 * The page's storage in memory, with bounds. `limit` is the longest value that it takes, `quota` how much all keys and values
 * may take together, in characters: beyond it, it throws as a browser's does.
 */
export function createTestMemoryStorage(
  limit = Number.POSITIVE_INFINITY,
  quota = Number.POSITIVE_INFINITY,
): Storage {
  const storage = unlimitedStorage();
  const { setItem: save } = storage;
  const setItem = (key: string, value: string): void => {
    const others = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? "").filter(
      (each) => each !== key,
    );
    let used = key.length + value.length;
    for (const each of others) used += each.length + (storage.getItem(each)?.length ?? 0);
    if (value.length > limit || used > quota) throw new DOMException("full", "QuotaExceededError");
    save(key, value);
  };
  return Object.assign(storage, { setItem });
}
