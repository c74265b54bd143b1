/**
 * The part of a Worker that the page uses. Types only, without names of the `dom` library, because Node has such connections
 * too.
 */
import type { Transferred } from "./transferred.ts";

/** TypeScript compares the parameters of a method loosely, so a handler of ErrorEvent fits a handler of WorkerFault. */
type Handler<Event> = { handle(event: Event): void }["handle"];

/** The error event of a worker. */
export interface WorkerFault {
  readonly message: string;
}

export interface WorkerConnection {
  onmessage: Handler<MessageEvent> | null;
  onerror: Handler<WorkerFault> | null;
  postMessage(message: unknown, transfer: Transferred[]): void;
  terminate(): void;
}
