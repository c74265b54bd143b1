/** Questions to the page's service worker, which answers each over a port of its own. */

/** Milliseconds to wait for a reply: the worker may have to start. */
const patienceMs = 10_000;

/** @throws Error if the service worker does not reply. */
export function askServiceWorker(worker: ServiceWorker, question: "files" | "stop"): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const { port1, port2 } = new MessageChannel();
    const timer = setTimeout(() => {
      port1.close();
      reject(
        new Error(
          "The browser does not say which files of the page it has saved. Reload the page and try again.",
        ),
      );
    }, patienceMs);
    port1.onmessage = ({ data }) => {
      clearTimeout(timer);
      port1.close();
      resolve(data);
    };
    worker.postMessage(question, [port2]);
  });
}
