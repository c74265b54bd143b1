/** Files of models that were downloaded, kept in the browser. A file is kept whole or not at all. */

/** One kept file. */
export interface CachedFile {
  readonly url: string;
  /** Address of the model's folder. */
  readonly folder: string;
  readonly bytes: number;
}

export interface FileCache {
  get(url: string): Promise<Uint8Array<ArrayBuffer> | null>;
  /** @throws when the storage is full or refused (private windows); nothing is kept then. */
  put(file: CachedFile, content: Uint8Array<ArrayBuffer>): Promise<void>;
  list(): Promise<CachedFile[]>;
  delete(url: string): Promise<boolean>;
}

/** All that is kept of one model. */
export interface CachedModel {
  readonly folder: string;
  readonly files: number;
  readonly bytes: number;
}

const storeName = "midtoken-models-1";
const folderHeader = "x-midtoken-folder";

/** The browser's cache, in the page and in workers; null where there is none (Node, insecure addresses). */
export function browserCache(): FileCache | null {
  if (typeof caches === "undefined") return null;
  // Opened at each use: deleting the site's data makes an open handle useless.
  const open = (): Promise<Cache> => caches.open(storeName);
  return {
    async get(url) {
      const response = await (await open()).match(url);
      if (!response) return null;
      const bytes = new Uint8Array(await response.arrayBuffer());
      if (bytes.length === lengthOf(response)) return bytes;
      await (await open()).delete(url);
      return null;
    },
    async put({ url, folder }, content) {
      const headers = { "content-length": String(content.length), [folderHeader]: folder };
      await (await open()).put(url, new Response(content, { headers }));
    },
    async list() {
      const cache = await open();
      const files = await Promise.all(
        (await cache.keys()).map(async ({ url }): Promise<CachedFile | null> => {
          const response = await cache.match(url);
          const folder = response?.headers.get(folderHeader) ?? null;
          return response && folder !== null ? { url, folder, bytes: lengthOf(response) } : null;
        }),
      );
      return files.filter((file) => file !== null);
    },
    async delete(url) {
      return (await open()).delete(url);
    },
  };
}

function lengthOf(response: Response): number {
  return Number(response.headers.get("content-length") ?? Number.NaN);
}

/** Kept models with their sizes, largest first. */
export async function listCachedModels(cache: FileCache): Promise<CachedModel[]> {
  const models = new Map<string, CachedModel>();
  for (const { folder, bytes } of await cache.list()) {
    const sum = models.get(folder) ?? { folder, files: 0, bytes: 0 };
    models.set(folder, { folder, files: sum.files + 1, bytes: sum.bytes + bytes });
  }
  return [...models.values()].sort((a, b) => b.bytes - a.bytes);
}

/** Deletes what is kept of the model in `folder` and gives the bytes that were freed. */
export async function deleteCachedModel(cache: FileCache, folder: string): Promise<number> {
  let freed = 0;
  for (const file of await cache.list()) {
    if (file.folder === folder && (await cache.delete(file.url))) freed += file.bytes;
  }
  return freed;
}
