/** A storage that lives as long as a test; `limit` is the longest value that it takes, in characters. */
export function memoryStorage(limit = Number.POSITIVE_INFINITY): Storage {
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
      if (value.length > limit) throw new DOMException("full", "QuotaExceededError");
      values.set(key, value);
    },
  };
}
