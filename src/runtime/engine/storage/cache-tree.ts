/** A file tree in the browser's Cache API, for browsers that give the site no file system. */
import type { FileTree } from "./file-tree.ts";

/** Nothing is fetched from this address: in a cache, addresses are only names. */
const root = "https://files.invalid/";

export function createCacheFileTree(name: string, storage: CacheStorage = caches): FileTree {
  // Opens the cache at each use, because a handle is useless after the user deleted the site's data.
  const open = (): Promise<Cache> => storage.open(name);
  const addresses = async (cache: Cache): Promise<readonly string[]> =>
    (await cache.keys()).map(({ url }) => url);
  return {
    async read(path) {
      const response = await (await open()).match(root + path);
      return response ? response.blob() : null;
    },
    async write(path, content) {
      await (await open()).put(root + path, new Response(content));
    },
    async remove(path) {
      const cache = await open();
      const own = (await addresses(cache)).filter(
        (url) => url === root + path || url.startsWith(`${root}${path}/`),
      );
      await Promise.all(own.map((url) => cache.delete(url)));
    },
    async list(path) {
      const prefix = path === "" ? root : `${root}${path}/`;
      const below = (await addresses(await open())).filter((url) => url.startsWith(prefix));
      return [...new Set(below.map((url) => url.slice(prefix.length).split("/")[0] as string))];
    },
  };
}
