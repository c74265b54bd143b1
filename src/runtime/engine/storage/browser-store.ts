/** The place where a browser stores models, for pages, workers and the service worker. */
import { createCacheFileTree } from "./cache-tree.ts";
import type { FileTree } from "./file-tree.ts";
import { createLocalLocks } from "./locks.ts";
import { type EarlierVersionFiles, ModelStore } from "./model-store.ts";
import { createOpfsFileTree } from "./opfs-tree.ts";
import { createWebLocks } from "./web-locks.ts";

/**
 * Name of the folder in the origin private file system, and of the cache that replaces it in browsers without a file system.
 */
const storeName = "midtoken-models-2";
/** The cache in which earlier versions stored whole files by their addresses. */
const earlierCacheName = "midtoken-models-1";

let opened: Promise<ModelStore | null> | null = null;

/** Null if the browser gives this page no storage, for example at an insecure address or in some private windows. */
export function openBrowserModelStore(): Promise<ModelStore | null> {
  opened ??= openStore();
  return opened;
}

async function openStore(): Promise<ModelStore | null> {
  const tree = (await usable(opfs)) ?? (await usable(cache));
  if (tree === null) return null;
  const locks = globalThis.navigator?.locks ? createWebLocks(navigator.locks) : createLocalLocks();
  return new ModelStore({ tree, locks, room: freeBytes, earlier: earlierFiles() });
}

const opfs = async (): Promise<FileTree> => {
  await navigator.storage.getDirectory();
  return createOpfsFileTree(storeName);
};

const cache = async (): Promise<FileTree> => {
  await caches.open(storeName);
  return createCacheFileTree(storeName);
};

async function usable(open: () => Promise<FileTree>): Promise<FileTree | null> {
  try {
    return await open();
  } catch {
    return null;
  }
}

async function freeBytes(): Promise<number | null> {
  try {
    const { usage, quota } = await navigator.storage.estimate();
    return usage === undefined || quota === undefined ? null : Math.max(0, quota - usage);
  } catch {
    return null;
  }
}

function earlierFiles(): EarlierVersionFiles | null {
  if (typeof caches === "undefined") return null;
  // Opens the cache only if it exists, because opening would create it.
  const open = async (): Promise<Cache | null> =>
    (await caches.has(earlierCacheName)) ? caches.open(earlierCacheName) : null;
  const sizeOf = (response: Response | undefined): number =>
    Number(response?.headers.get("content-length") ?? Number.NaN);
  return {
    async open(url) {
      const response = await (await open())?.match(url);
      if (!response) return null;
      const content = await response.blob();
      return content.size === sizeOf(response) ? content : null;
    },
    async list() {
      const cache = await open();
      const requests = (await cache?.keys()) ?? [];
      return Promise.all(
        requests.map(async ({ url }) => ({ url, bytes: sizeOf(await cache?.match(url)) || 0 })),
      );
    },
    async remove(url) {
      const cache = await open();
      await cache?.delete(url);
      if ((await cache?.keys())?.length === 0) await caches.delete(earlierCacheName);
    },
  };
}
