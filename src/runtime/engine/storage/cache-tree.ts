/** Files in a cache of the browser's (the Cache API), for browsers that refuse a site a folder of its own. */
import type { FileTree } from "./file-tree.ts";

/** Nothing is ever fetched from there: addresses in a cache are names. */
const root = "https://files.invalid/";

export function cacheTree(name: string, storage: CacheStorage = caches): FileTree {
  // Opened at each use: a handle that is open when the user deletes the site's data is useless afterwards.
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
