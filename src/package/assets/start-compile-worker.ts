/** Starts the compiler's worker from any kind of address. Replaces `src/runtime/sandbox/start-compile-worker.ts` in the npm package. */
import type { FileAddresses } from "../../core/base/file-addresses.ts";
import type { WorkerConnection } from "../../core/base/worker-connection.ts";
import { connectStartingWorker } from "./late-worker.ts";
import { startFirstWorking } from "./start-worker.ts";
import { compilerSources } from "./worker-sources.ts";

export function startCompileWorker(files: FileAddresses = {}): WorkerConnection {
  return connectStartingWorker((signal) =>
    startFirstWorking("The worker that compiles mods", compilerSources(files), signal),
  );
}
