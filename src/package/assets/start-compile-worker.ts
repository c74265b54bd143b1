/** Starts the compiler's worker from any kind of address. Replaces `src/runtime/sandbox/start-compile-worker.ts` in the npm package. */
import type { FileAddresses } from "../../core/base/file-addresses.ts";
import type { WorkerConnection } from "../../core/base/worker-connection.ts";
import { connectStartingWorker } from "./late-worker.ts";
import { startWorkerFromSources } from "./start-worker.ts";
import { compileWorkerSources } from "./worker-sources.ts";

export function startCompileWorker(files: FileAddresses = {}): WorkerConnection {
  return connectStartingWorker((signal) =>
    startWorkerFromSources("The worker that compiles mods", compileWorkerSources(files), signal),
  );
}
