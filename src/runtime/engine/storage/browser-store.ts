/** The place where a browser stores models, for pages, workers and the service worker. */
import { createCacheFileTree } from "./cache-tree.ts";
import type { FileTree } from "./file-tree.ts";
import { createLocalLocks } from "./locks.ts";
import { ModelStore } from "./model-store.ts";
import { createOpfsFileTree } from "./opfs-tree.ts";
import { createWebLocks } from "./web-locks.ts";

/**
 * Name of the folder in the origin private file system, and of the cache that replaces it in browsers without a file system.
 */
const storeName = "midtoken-models-2";

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
  return new ModelStore({ tree, locks, room: freeBytes });
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
