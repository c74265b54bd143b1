/**
 * A storage that lives as long as a test. `limit` is the longest value that it takes, `quota` how much all keys and values
 * may take together, in characters: beyond it, it throws as a browser's does.
 */
export function memoryStorage(limit = Number.POSITIVE_INFINITY, quota = Number.POSITIVE_INFINITY): Storage {
  const values = new Map<string, string>();
  return {
    get length() {
      return values.size;
    },
    clear: () => values.clear(),
    key: (index) => [...values.keys()][index] ?? null,
    getItem: (key) => values.get(key) ?? null,
    removeItem: (key) => void values.delete(key),
    setItem(key, value) {
      let used = key.length + value.length;
      for (const [each, kept] of values) if (each !== key) used += each.length + kept.length;
      if (value.length > limit || used > quota) throw new DOMException("full", "QuotaExceededError");
      values.set(key, value);
    },
  };
}
