/** A browser's Cache API in memory, for tests in Node. Only the functions that storing models needs. */

export function createMemoryCaches(): CacheStorage {
  const caches = new Map<string, Cache>();
  return {
    async open(name: string) {
      const cache = caches.get(name) ?? memoryCache();
      caches.set(name, cache);
      return cache;
    },
    has: async (name: string) => caches.has(name),
    delete: async (name: string) => caches.delete(name),
  } as CacheStorage;
}

function memoryCache(): Cache {
  const entries = new Map<string, { readonly bytes: ArrayBuffer; readonly headers: Headers }>();
  const urlOf = (request: RequestInfo | URL) => (request instanceof Request ? request.url : String(request));
  return {
    async match(request: RequestInfo | URL) {
      const found = entries.get(urlOf(request));
      return found && new Response(found.bytes, { headers: found.headers });
    },
    // As in a browser, a body that breaks off is not stored.
    async put(request: RequestInfo | URL, response: Response) {
      entries.set(urlOf(request), { headers: response.headers, bytes: await response.arrayBuffer() });
    },
    delete: async (request: RequestInfo | URL) => entries.delete(urlOf(request)),
    keys: async () => [...entries.keys()].map((url) => new Request(url)),
  } as Partial<Cache> as Cache;
}
