/** Starts the engine's worker, wherever its file is. Stands in the npm package for `src/session/engine-worker-transport.ts`. */
import type { FileAddresses } from "../base/file-addresses.ts";
import type { EngineTransport } from "../session/transport.ts";
import { workerTransport } from "../session/worker-transport.ts";
import { lateWorker } from "./late-worker.ts";
import { startFirst } from "./start-worker.ts";
import { engineSources } from "./worker-sources.ts";

export function openEngineWorker(files: FileAddresses = {}): EngineTransport {
  return workerTransport(
    lateWorker((signal) => startFirst("The engine's worker", engineSources(files), signal)),
  );
}
