/** Starts the engine's worker from the address that bundlers see. */
import type { EngineTransport } from "./transport.ts";
import { workerTransport } from "./worker-transport.ts";

export function openEngineWorker(): EngineTransport {
  return workerTransport(new Worker(new URL("./engine-worker.ts", import.meta.url), { type: "module" }));
}
