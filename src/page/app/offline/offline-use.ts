/**
 * Saves the page for use without a network, and detects newer versions. Nothing depends on this: without it, the page works
 * online as before.
 */
import { isFramedByAnother } from "../share/framed.ts";
import { askServiceWorker } from "./ask-worker.ts";
import { isOfflineWanted } from "./offline-choice.ts";
import { pageUpdateStore } from "./update-store.ts";

/** Milliseconds between two checks for a newer version while the page stays open. */
const asksEvery = 60 * 60 * 1000;

let stops: AbortController | null = null;

/** A second call changes nothing. */
export async function startOfflineUse(): Promise<void> {
  const { serviceWorker } = navigator;
  // A page of another site that embeds this page must not make this site save anything.
  if (!serviceWorker || isFramedByAnother(window)) return;
  if (!isOfflineWanted()) return stopOfflineUse();
  if (stops) return;
  stops = new AbortController();
  const { signal } = stops;
  const keep = () => serviceWorker.controller?.postMessage("keep");
  serviceWorker.addEventListener("controllerchange", keep, { signal });
  const onHidden = () => document.visibilityState === "hidden" && keep();
  document.addEventListener("visibilitychange", onHidden, { signal });
  keep();
  const address = new URL("service-worker.js", document.baseURI);
  let registration: ServiceWorkerRegistration;
  try {
    registration = await serviceWorker.register(address, { updateViaCache: "none" });
  } catch {
    // Private windows and full disks refuse. Then only offline use is missing.
    if (!signal.aborted) stops = null;
    return;
  }
  // The user may have switched offline use off, and on again, meanwhile: then the next call does the work.
  if (signal.aborted) return stops === null ? stopOfflineUse() : undefined;
  // If the user said no earlier in this visit, the stopped worker still exists.
  registration.active?.postMessage("start");
  followUpdates(registration, serviceWorker);
  const timer = setInterval(() => void registration.update().catch(() => undefined), asksEvery);
  signal.addEventListener("abort", () => clearInterval(timer));
}

/** Ends the service worker of this page, and deletes the saved files of the page. Runs, mods and models stay. */
export async function stopOfflineUse(): Promise<void> {
  stops?.abort();
  stops = null;
  pageUpdateStore.setState({ take: null });
  const registration = await navigator.serviceWorker?.getRegistration();
  if (registration) {
    // Otherwise the worker could save files after they are deleted here.
    if (registration.active) await askServiceWorker(registration.active, "stop").catch(() => undefined);
    await registration.unregister();
  }
  // Names of the caches of pages in other folders of this origin end in another scope.
  const scope = registration?.scope ?? new URL("./", document.baseURI).href;
  const own = (await caches.keys()).filter(
    (name) => name.endsWith(` ${scope}`) || name.endsWith(`-${scope}`),
  );
  await Promise.all(own.map((name) => caches.delete(name)));
}

function followUpdates(registration: ServiceWorkerRegistration, container: ServiceWorkerContainer): void {
  const look = () => {
    const { waiting } = registration;
    // The very first service worker takes over without waiting.
    if (!waiting || !registration.active) return;
    pageUpdateStore.setState({
      take() {
        container.addEventListener("controllerchange", () => location.reload(), { once: true });
        waiting.postMessage("update");
      },
    });
  };
  look();
  registration.addEventListener("updatefound", () =>
    registration.installing?.addEventListener("statechange", look),
  );
}
