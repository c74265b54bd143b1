/** Keeps the page for use without a network, and hears of newer versions. Nothing depends on it: where it cannot be had, the page works as it does online. */
import { isFramedByAnother } from "../share/framed.ts";
import { update } from "./update-store.ts";

/** Milliseconds between two questions to the server, of a page that stays open. */
const asksEvery = 60 * 60 * 1000;

export async function keepOffline(): Promise<void> {
  const { serviceWorker } = navigator;
  // Another site's page must not make this site keep anything.
  if (!serviceWorker || isFramedByAnother(window)) return;
  const keep = () => serviceWorker.controller?.postMessage("keep");
  serviceWorker.addEventListener("controllerchange", keep);
  document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && keep());
  keep();
  const address = new URL("service-worker.js", document.baseURI);
  let registration: ServiceWorkerRegistration;
  try {
    registration = await serviceWorker.register(address, { updateViaCache: "none" });
  } catch {
    // Private windows and full disks refuse; then there is no offline use, and nothing else is missing.
    return;
  }
  followUpdates(registration, serviceWorker);
  setInterval(() => void registration.update().catch(() => undefined), asksEvery);
}

function followUpdates(registration: ServiceWorkerRegistration, container: ServiceWorkerContainer): void {
  const look = () => {
    const { waiting } = registration;
    // The first one of all waits for nobody.
    if (!waiting || !registration.active) return;
    update.setState({
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
