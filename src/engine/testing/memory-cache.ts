import type { CachedFile, FileCache } from "../cache.ts";

/** A cache in memory, for tests in Node; `limit` is its size in bytes, above which it refuses as a full disk does. */
export function memoryCache(limit = Number.POSITIVE_INFINITY): FileCache & { urls(): string[] } {
  const files = new Map<string, { file: CachedFile; content: Uint8Array<ArrayBuffer> }>();
  return {
    urls: () => [...files.keys()],
    get: async (url) => files.get(url)?.content.slice() ?? null,
    async put(file, content) {
      const used = [...files.values()].reduce((sum, kept) => sum + kept.content.length, 0);
      if (used + content.length > limit) throw new DOMException("The disk is full.", "QuotaExceededError");
      files.set(file.url, { file, content: content.slice() });
    },
  };
}
