/** Counts the open work of an engine's thread. The thread keeps the process running only while there is some. */
import type { Worker } from "node:worker_threads";
import type { EngineMessage, PageMessage } from "../../runtime/session/shared/protocol.ts";

export class PendingThreadWork {
  readonly #thread: Pick<Worker, "ref" | "unref">;
  readonly #open = new Set<string | number>();

  constructor(thread: Pick<Worker, "ref" | "unref">) {
    this.#thread = thread;
  }

  ask(message: PageMessage): void {
    switch (message.type) {
      case "load":
      case "tokenize":
      case "readLayers":
        this.#open.add(message.id);
        break;
      case "run":
      case "verify":
        this.#open.add(message.request.requestId);
        break;
      default:
        return;
    }
    this.#thread.ref();
  }

  hear(message: EngineMessage): void {
    switch (message.type) {
      case "loaded":
      case "loadFailed":
        this.#open.delete(message.id);
        break;
      case "ended":
        this.#open.delete(message.of);
        break;
      default:
        return;
    }
    if (this.#open.size === 0) this.#thread.unref();
  }

  /** Called when the thread has ended. */
  clear(): void {
    this.#open.clear();
    this.#thread.unref();
  }
}
