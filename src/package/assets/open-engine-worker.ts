/**
 * Starts the engine's worker from any kind of address. Replaces `src/runtime/session/connection/engine-worker-transport.ts` in
 * the npm package.
 */
import type { FileAddresses } from "../../core/base/file-addresses.ts";
import { workerTransport } from "../../runtime/session/connection/worker-transport.ts";
import type { EngineTransport } from "../../runtime/session/shared/transport.ts";
import { connectStartingWorker } from "./late-worker.ts";
import { startWorkerFromSources } from "./start-worker.ts";
import { engineWorkerSources } from "./worker-sources.ts";

export function openEngineWorker(files: FileAddresses = {}): EngineTransport {
  return workerTransport(
    connectStartingWorker((signal) =>
      startWorkerFromSources("The engine's worker", engineWorkerSources(files), signal),
    ),
  );
}
