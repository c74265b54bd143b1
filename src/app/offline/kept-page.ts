/** What the browser keeps of the page, as the service worker says and its caches show. */
import { messageOf } from "../../base/message-of.ts";
import type { KeptWhere } from "./kept-files.ts";
import { type PagePart, pageParts } from "./page-parts.ts";

/** Milliseconds for the service worker's answer: it may have to start. */
const patienceMs = 10_000;

export interface KeptPage {
  readonly parts: readonly PagePart[];
  readonly where: KeptWhere;
  /** Address of the page's folder. */
  readonly scope: string;
}

/** Null where nothing of the page is kept. @throws Error when the service worker does not answer. */
export async function readKeptPage(): Promise<KeptPage | null> {
  const registration = await navigator.serviceWorker?.getRegistration();
  const worker = registration?.active;
  if (!registration || !worker) return null;
  const where = await ask(worker);
  const { scope } = registration;
  const names = await caches.keys();
  const own = names.filter((name) => name.endsWith(` ${scope}`));
  const lists = await Promise.all(own.map(async (name) => (await caches.open(name)).keys()));
  const kept = new Set(lists.flat().map(({ url }) => url.slice(scope.length)));
  return { parts: pageParts(where.files, kept), where, scope };
}

function ask(worker: ServiceWorker): Promise<KeptWhere> {
  return new Promise((resolve, reject) => {
    const { port1, port2 } = new MessageChannel();
    const timer = setTimeout(() => {
      port1.close();
      reject(new Error("The browser does not say what it keeps of the page. Reload the page and try again."));
    }, patienceMs);
    port1.onmessage = ({ data }) => {
      clearTimeout(timer);
      port1.close();
      resolve(data as KeptWhere);
    };
    worker.postMessage("files", [port2]);
  });
}

interface KeepPageOptions {
  readonly signal: AbortSignal;
  onProgress(done: number, all: number): void;
}

/** Fetches and keeps what is missing of the page; what has come stays when it is stopped. @throws Error that says what did not come. */
export async function keepWholePage(page: KeptPage, { signal, onProgress }: KeepPageOptions): Promise<void> {
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
      throw new Error(`${path} did not come (${messageOf(cause)}). Is there a network?`, { cause });
    });
    if (!response.ok) throw new Error(`${path} did not come: the server answered ${response.status}.`);
    // The service worker keeps those of the models as it answers.
    if (path.startsWith("assets/")) await assets.put(address, response);
    else await response.arrayBuffer();
    done += where.files.bytes[path] ?? 0;
    onProgress(done, all);
  }
}
