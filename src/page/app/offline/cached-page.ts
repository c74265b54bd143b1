/** The saved part of the page, as the service worker and its caches report it. */
import { messageOf } from "../../../core/base/message-of.ts";
import { askServiceWorker } from "./ask-worker.ts";
import type { PageCacheInfo } from "./page-cache.ts";
import { type PagePart, pageParts } from "./page-parts.ts";

export interface CachedPage {
  readonly parts: readonly PagePart[];
  readonly where: PageCacheInfo;
  /** Address of the page's folder. */
  readonly scope: string;
}

/** Null if no part of the page is saved. @throws Error if the service worker does not reply. */
export async function readCachedPage(): Promise<CachedPage | null> {
  const registration = await navigator.serviceWorker?.getRegistration();
  const worker = registration?.active;
  if (!registration || !worker) return null;
  const where = (await askServiceWorker(worker, "files")) as PageCacheInfo;
  const { scope } = registration;
  const names = await caches.keys();
  const own = names.filter((name) => name.endsWith(` ${scope}`));
  const lists = await Promise.all(own.map(async (name) => (await caches.open(name)).keys()));
  const cachedPaths = new Set(lists.flat().map(({ url }) => url.slice(scope.length)));
  return { parts: pageParts(where.files, cachedPaths), where, scope };
}

interface CachePageOptions {
  readonly signal: AbortSignal;
  onProgress(done: number, all: number): void;
}

/**
 * Downloads and saves the missing files of the page. If stopped, the downloaded files stay. @throws Error that names the files
 * that could not be fetched.
 */
export async function cacheWholePage(
  page: CachedPage,
  { signal, onProgress }: CachePageOptions,
): Promise<void> {
  const { parts, where, scope } = page;
  const missing = parts.flatMap((part) => part.missing);
  const all = parts.reduce((sum, { missingBytes }) => sum + missingBytes, 0);
  const assets = await caches.open(where.assetCache);
  let done = 0;
  for (const path of missing) {
    signal.throwIfAborted();
    const address = new URL(path, scope).href;
    const response = await fetch(address, { signal }).catch((cause: unknown) => {
      signal.throwIfAborted();
      throw new Error(
        `${path} could not be downloaded (${messageOf(cause)}). Check that you are online, and try again.`,
        { cause },
      );
    });
    if (!response.ok)
      throw new Error(`${path} could not be downloaded: the server answered ${response.status}.`);
    // The service worker saves the files of the models when it responds with them.
    if (path.startsWith("assets/")) await assets.put(address, response);
    else await response.arrayBuffer();
    done += where.files.bytes[path] ?? 0;
    onProgress(done, all);
  }
}
