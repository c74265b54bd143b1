/**
 * A worker that takes some time to be found, with the interface that a session needs: messages wait until it is
 * there. A worker that sends nothing within some seconds counts as one that did not start.
 */
import { messageOf } from "../../core/base/message-of.ts";
import type { Transferred } from "../../core/base/transferred.ts";
import type { WorkerConnection } from "../../core/base/worker-connection.ts";

/** `start` answers a worker that has said its first word, or rejects with an Error for people. Every message after that is passed on. */
export function lateWorker(start: (signal: AbortSignal) => Promise<Worker>): WorkerConnection {
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
      end.abort(new Error("The worker was ended."));
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

/** Milliseconds. A script of some hundred kilobytes may come over a slow line. */
const longestStart = 60_000;

/** Settles with the worker once it has said a first word. @throws Error, and ends the worker. */
export function whenReady(worker: Worker, signal: AbortSignal): Promise<Worker> {
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
