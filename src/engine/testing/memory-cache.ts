import type { FileCache } from "../cache.ts";

/** A cache in memory, for tests in Node; `limit` is its size in bytes, above which it refuses as a full disk does. */
export function memoryCache(limit = Number.POSITIVE_INFINITY): FileCache & { urls(): string[] } {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  return {
    urls: () => [...files.keys()],
    get: async (url) => files.get(url)?.slice() ?? null,
    async open(url) {
      const content = files.get(url);
      return content ? new Blob([content]) : null;
    },
    async put(url, content) {
      const used = [...files.values()].reduce((sum, kept) => sum + kept.length, 0);
      if (used + content.length > limit) throw new DOMException("The disk is full.", "QuotaExceededError");
      files.set(url, content.slice());
    },
  };
}
