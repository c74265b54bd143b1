/**
 * Saves the page for use without a network. `scripts/vite-service-worker.ts` builds it apart, with the list of the
 * page's files.
 *
 * The page itself always comes from the server if the server answers, so that a new version appears with the next
 * reload. The page's files carry hashes and never change, so saved files can be used at once. A new version waits
 * until the page asks for it.
 *
 * Its responses are isolated (`isolate.ts`), so that a page of a host without such headers has threads from the
 * second visit on, without loading anything again.
 */
import { cacheNames } from "workbox-core";
import { getCacheKeyForURL, matchPrecache, precache } from "workbox-precaching";
import { registerRoute } from "workbox-routing";
import { CacheFirst, NetworkFirst } from "workbox-strategies";
import { openCachedFile } from "../../../runtime/session/page-side/cached-model-files.ts";
import { addIsolationHeaders } from "./isolate.ts";
import {
  nameWithoutHash,
  type PageCacheInfo,
  type PageFiles,
  replacementsForSaved,
  responseSourceOf,
} from "./page-cache.ts";

/** The build puts the list of files here. */
declare const PAGE_FILES: PageFiles;
/** The name stands here only once, because the build replaces it with the whole list. */
const files = PAGE_FILES;

/** The arguments of a strategy. */
type Asked = Parameters<CacheFirst["handleAll"]>[0] & { readonly request: Request };

interface WorkerEvent extends Event {
  readonly data?: unknown;
  readonly ports?: readonly MessagePort[];
  waitUntil(work: Promise<unknown>): void;
}

/** The used part of a service worker's global scope. */
interface WorkerScope {
  readonly registration: { readonly scope: string };
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: "install" | "activate" | "message", listen: (event: WorkerEvent) => void): void;
}

const worker = self as unknown as WorkerScope;
const { scope } = worker.registration;
/** The cache names contain the scope, because pages in other folders of this origin have caches of their own. */
const assetCache = `midtoken-assets ${scope}`;
const dataCache = `midtoken-data ${scope}`;
/** Seconds to wait for the server. After that, the saved copy of the page is used, if there is one. */
const patienceSeconds = 8;
const addressOf = (path: string) => new URL(path, scope).href;

/** The user wants nothing saved. Open pages continue with this worker until they are closed or loaded again. */
let isStopped = false;

/** Work in progress that may save something. */
const savesInProgress = new Set<Promise<unknown>>();

function trackSave<Result>(work: Promise<Result>): Promise<Result> {
  const settled = work.catch(() => undefined).finally(() => savesInProgress.delete(settled));
  savesInProgress.add(settled);
  return work;
}

/** Some servers send a page in place of a missing file: that page is never saved as the file. */
const isFile = (response: Response) =>
  !isStopped && response.status === 200 && !/\btext\/html\b/.test(response.headers.get("content-type") ?? "");

precache([...files.shell]);

const assets = new CacheFirst({
  cacheName: assetCache,
  plugins: [{ cacheWillUpdate: async ({ response }) => (isFile(response) ? response : null) }],
});
const data = new NetworkFirst({
  cacheName: dataCache,
  plugins: [{ cacheWillUpdate: async ({ response }) => (isFile(response) ? response : null) }],
});

/** Responds as the strategy does. The strategy saves the response after it has sent it. */
function respondWith(strategy: CacheFirst | NetworkFirst, asked: Asked): Promise<Response> {
  const [response, isDone] = strategy.handleAll(asked);
  void trackSave(isDone);
  return response;
}

registerRoute(
  ({ request, url }) => kindOf(request, url) === "page",
  async ({ request }) => {
    const cachedPage = await matchPrecache(addressOf("index.html"));
    const signal = cachedPage ? AbortSignal.timeout(patienceSeconds * 1000) : null;
    try {
      return addIsolationHeaders(await fetch(request, { signal }));
    } catch (cause) {
      if (cachedPage) return addIsolationHeaders(cachedPage);
      throw cause;
    }
  },
);
registerRoute(
  ({ request, url }) => kindOf(request, url) === "asset",
  async ({ request, event }) =>
    addIsolationHeaders(
      (await matchPrecache(request.url)) ?? (await respondWith(assets, { request, event })),
    ),
);
registerRoute(
  ({ request, url }) => kindOf(request, url) === "list",
  ({ request, event }) => respondWith(data, { request, event }),
);
registerRoute(
  ({ request, url }) => kindOf(request, url) === "model",
  async ({ request, event }) => {
    try {
      return await respondWith(data, { request, event });
    } catch (cause) {
      // A model has optional files and loads without them, so offline the service worker has to report a missing file
      // as missing too.
      if (files.models.includes(request.url.slice(scope.length))) throw cause;
      return new Response(null, { status: 404 });
    }
  },
);

// A folder of the user lies on this machine, so its server is asked first; the saved files are used if the server
// does not respond.
registerRoute(
  ({ request, url }) => kindOf(request, url) === "local-model",
  async ({ request }) => {
    try {
      return await fetch(request);
    } catch (cause) {
      const found = await openCachedFile(request.url);
      if (found) return new Response(found, { headers: { "content-length": String(found.size) } });
      const description = new URL("config.json", request.url.replace(/onnx\/[^/]*$/, ""));
      if (await openCachedFile(description.href)) return new Response(null, { status: 404 });
      throw cause;
    }
  },
);

function kindOf({ method, mode, destination, headers }: Request, url: URL) {
  return responseSourceOf(
    { url: url.href, method, mode, destination, hasRange: headers.has("range") },
    scope,
  );
}

/** Paths of the saved files under `assets/`. */
async function cachedAssets(): Promise<readonly string[]> {
  const requests = await (await caches.open(assetCache)).keys();
  return requests.map(({ url }) => url.slice(scope.length));
}

/**
 * Saves the page's files that the browser loaded before the service worker existed, from the browser's own cache. The
 * server is asked only for runtimes that were too large for that cache, and for files whose names have no hash.
 */
async function saveFetchedFiles(): Promise<void> {
  const cache = await caches.open(assetCache);
  const have = new Set(await cachedAssets());
  const shell = new Set(files.shell.map(({ url }) => url));
  for (const path of files.assets) {
    if (isStopped) return;
    if (have.has(path) || shell.has(path)) continue;
    const request = new Request(addressOf(path), { cache: "only-if-cached", mode: "same-origin" });
    const response = await fetch(request).catch(() => null);
    if (response && isFile(response)) await cache.put(addressOf(path), response);
  }
  const cached = await cachedAssets();
  if (isStopped) return;
  const needed = cached.flatMap((path) => files.needs[path] ?? []).filter((path) => !cached.includes(path));
  await Promise.allSettled(needed.map((path) => cache.add(addressOf(path))));
  const isEngineCached = cached.some((path) => nameWithoutHash(path) === "engine-worker.js");
  if (!isStopped) await saveData(["local-models.json", ...(isEngineCached ? files.models : [])]);
}

/** Saves the files of the installation again if they were deleted since. */
async function saveShellAgain(): Promise<void> {
  const cache = await caches.open(cacheNames.precache);
  const keys = files.shell.map(({ url }) => getCacheKeyForURL(addressOf(url)));
  await Promise.allSettled(
    keys.map(async (key) => key && !(await cache.match(key)) && (await cache.add(key))),
  );
}

/** These files have names without a hash, so the server is asked whether the browser's own copy is still current. */
async function saveData(paths: readonly string[]): Promise<void> {
  const cache = await caches.open(dataCache);
  const have = new Set((await cache.keys()).map(({ url }) => url));
  const wanted = paths.map(addressOf).filter((address) => !have.has(address));
  await Promise.allSettled(
    wanted.map(async (address) => {
      const response = await fetch(address);
      if (isFile(response)) await cache.put(address, response);
    }),
  );
}

worker.addEventListener("install", (event) => {
  const carryOver = async () => {
    const cache = await caches.open(assetCache);
    // Files that cannot be loaded now are loaded when they are used.
    const wanted = replacementsForSaved(files.assets, await cachedAssets());
    await Promise.allSettled(wanted.map((path) => cache.add(addressOf(path))));
  };
  event.waitUntil(carryOver());
});

worker.addEventListener("activate", (event) => {
  const claimPages = async () => {
    const cache = await caches.open(assetCache);
    const current = new Set(files.assets);
    const old = (await cachedAssets()).filter((path) => !current.has(path));
    await Promise.all(old.map((path) => cache.delete(addressOf(path))));
    await worker.clients.claim();
  };
  event.waitUntil(claimPages());
});

worker.addEventListener("message", (event) => {
  if (event.data === "stop") {
    isStopped = true;
    event.waitUntil(Promise.all(savesInProgress).then(() => event.ports?.[0]?.postMessage("stopped")));
  }
  if (event.data === "start") {
    isStopped = false;
    event.waitUntil(trackSave(saveShellAgain()));
  }
  if (event.data === "keep" && !isStopped) event.waitUntil(trackSave(saveFetchedFiles()));
  if (event.data === "update") void worker.skipWaiting();
  if (event.data === "files") event.ports?.[0]?.postMessage({ files, assetCache } satisfies PageCacheInfo);
});
