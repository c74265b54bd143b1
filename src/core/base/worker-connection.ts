/** What the page uses of a worker: a Worker is one. Types only, without `dom`'s own names, since Node has these lines too. */
import type { Transferred } from "./transferred.ts";

/** TypeScript compares the parameters of a method loosely, so a handler of ErrorEvent fits a handler of WorkerFault. */
type Handler<Event> = { handle(event: Event): void }["handle"];

/** What a worker's error event says. */
export interface WorkerFault {
  readonly message: string;
}

export interface WorkerConnection {
  onmessage: Handler<MessageEvent> | null;
  onerror: Handler<WorkerFault> | null;
  postMessage(message: unknown, transfer: Transferred[]): void;
  terminate(): void;
}
