/**
 * A worker whose start takes some time, with the interface that a session needs: messages wait until it has started. A
 * worker that sends nothing within `longestStart` counts as not started.
 */
import { messageOf } from "../../core/base/message-of.ts";
import type { Transferred } from "../../core/base/transferred.ts";
import type { WorkerConnection } from "../../core/base/worker-connection.ts";

/** `start` returns a worker that has sent its first message, or rejects with a readable Error. All later messages are passed on. */
export function connectStartingWorker(start: (signal: AbortSignal) => Promise<Worker>): WorkerConnection {
  const end = new AbortController();
  const waiting: { readonly message: unknown; readonly transfer: Transferred[] }[] = [];
  let worker: Worker | null = null;
  const line: WorkerConnection = {
    onmessage: null,
    onerror: null,
    postMessage(message, transfer) {
      if (worker) worker.postMessage(message, transfer);
      else waiting.push({ message, transfer });
    },
    terminate() {
      end.abort(new Error("The worker was stopped."));
      worker?.terminate();
    },
  };
  start(end.signal).then(
    (started) => {
      if (end.signal.aborted) return started.terminate();
      worker = started;
      worker.onmessage = (event) => line.onmessage?.(event);
      worker.onerror = (event) => line.onerror?.(event);
      for (const { message, transfer } of waiting.splice(0)) worker.postMessage(message, transfer);
    },
    (error: unknown) => {
      if (!end.signal.aborted) line.onerror?.({ message: messageOf(error) });
    },
  );
  return line;
}

/** Milliseconds. A script of several hundred kilobytes may come over a slow connection. */
const longestStart = 60_000;

/** Settles with the worker after its first message. @throws Error, and ends the worker, if it does not start */
export function waitUntilWorkerReady(worker: Worker, signal: AbortSignal): Promise<Worker> {
  const settled = new AbortController();
  const ready = new Promise<Worker>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`it did not answer within ${longestStart / 1000} s.`)),
      longestStart,
    );
    const fail = (): void => reject(signal.reason);
    signal.addEventListener("abort", fail, { once: true });
    settled.signal.addEventListener("abort", () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", fail);
    });
    worker.onmessage = () => resolve(worker);
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error(event.message ? `${event.message}.` : "the browser did not start it."));
    };
  });
  return ready
    .catch((error: unknown) => {
      worker.terminate();
      throw error;
    })
    .finally(() => settled.abort());
}
