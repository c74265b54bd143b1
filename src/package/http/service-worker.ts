/**
 * The service worker of `serveFromThisTab`: answers `v1/…` below its scope with the engine in one of the site's tabs. It
 * caches nothing, and does not touch any other request. A site with its own service worker imports this file there.
 */
import { askServingTab, type TabClient } from "./ask-tab.ts";
import { apiPath } from "./tab-link.ts";

interface WorkerEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}

interface FetchEvent extends WorkerEvent {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}

interface WordEvent extends WorkerEvent {
  readonly data: unknown;
  readonly source: { readonly id: string } | null;
  readonly ports: readonly MessagePort[];
}

/** The used part of a service worker's global scope. */
interface WorkerScope {
  readonly registration: { readonly scope: string };
  readonly clients: { claim(): Promise<void>; get(id: string): Promise<TabClient | undefined> };
  addEventListener(type: "fetch", listen: (event: FetchEvent) => void): void;
  addEventListener(type: "message", listen: (event: WordEvent) => void): void;
}

const worker = self as unknown as WorkerScope;
const { scope } = worker.registration;
const api = new URL(`${apiPath}/`, scope).href;

worker.addEventListener("fetch", (event) => {
  if (!event.request.url.startsWith(api)) return;
  const answer = askServingTab(event.request, { scope, locks: navigator.locks, clients: worker.clients });
  event.respondWith(answer.then(({ response }) => response));
  event.waitUntil(answer.then(({ done }) => done));
});

worker.addEventListener("message", (event) => {
  const { data, ports, source } = event;
  if (typeof data !== "object" || data === null || !("midtoken" in data)) return;
  // Any message keeps the worker awake. Only a tab that serves sends "claim", for pages that are already open.
  if (data.midtoken !== "claim") return;
  event.waitUntil(worker.clients.claim().then(() => ports[0]?.postMessage(source?.id)));
});
