/** Files of models that were downloaded, kept in the browser. A file is kept whole or not at all. */

export interface FileCache {
  get(url: string): Promise<Uint8Array<ArrayBuffer> | null>;
  /** A kept file that stays where it is until its bytes are read. */
  open(url: string): Promise<Blob | null>;
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
  const cache = (): Promise<Cache> => caches.open(modelCacheName);
  const open = async (url: string): Promise<Blob | null> => {
    const response = await (await cache()).match(url);
    if (!response) return null;
    const content = await response.blob();
    if (content.size === lengthOf(response)) return content;
    await (await cache()).delete(url);
    return null;
  };
  return {
    open,
    async get(url) {
      const content = await open(url);
      return content && new Uint8Array(await content.arrayBuffer());
    },
    async put(url, content) {
      const headers = { "content-length": String(content.length) };
      await (await cache()).put(url, new Response(content, { headers }));
    },
  };
}

function lengthOf(response: Response): number {
  return Number(response.headers.get("content-length") ?? Number.NaN);
}
