/** Files of models that were downloaded, kept in the browser. A file is kept whole or not at all. */

export interface FileCache {
  get(url: string): Promise<Uint8Array<ArrayBuffer> | null>;
  /** Keeps a file. @throws when the storage is full or refused (private windows); nothing is kept then. */
  put(url: string, content: Uint8Array<ArrayBuffer>): Promise<void>;
}

/** Name of the browser's cache. */
export const modelCacheName = "midtoken-models-1";

/** The browser's cache, in the page and in workers; null where there is none (Node, insecure addresses). */
export function browserCache(): FileCache | null {
  if (typeof caches === "undefined") return null;
  // The cache is opened at each use, since a handle that is open when the user deletes the site's data is useless
  // afterwards.
  const open = (): Promise<Cache> => caches.open(modelCacheName);
  return {
    async get(url) {
      const response = await (await open()).match(url);
      if (!response) return null;
      const bytes = new Uint8Array(await response.arrayBuffer());
      if (bytes.length === lengthOf(response)) return bytes;
      await (await open()).delete(url);
      return null;
    },
    async put(url, content) {
      const headers = { "content-length": String(content.length) };
      await (await open()).put(url, new Response(content, { headers }));
    },
  };
}

function lengthOf(response: Response): number {
  return Number(response.headers.get("content-length") ?? Number.NaN);
}
