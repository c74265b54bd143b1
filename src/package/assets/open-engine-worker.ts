/** Starts the engine's worker, wherever its file is. Stands in the npm package for `src/runtime/session/connection/engine-worker-transport.ts`. */
import type { FileAddresses } from "../../core/base/file-addresses.ts";
import { workerTransport } from "../../runtime/session/connection/worker-transport.ts";
import type { EngineTransport } from "../../runtime/session/shared/transport.ts";
import { lateWorker } from "./late-worker.ts";
import { startFirst } from "./start-worker.ts";
import { engineSources } from "./worker-sources.ts";

export function openEngineWorker(files: FileAddresses = {}): EngineTransport {
  return workerTransport(
    lateWorker((signal) => startFirst("The engine's worker", engineSources(files), signal)),
  );
}
