/** Starts the compiler's worker, wherever its file is. Stands in the npm package for `src/runtime/sandbox/start-compile-worker.ts`. */
import type { FileAddresses } from "../../core/base/file-addresses.ts";
import type { WorkerConnection } from "../../core/base/worker-connection.ts";
import { lateWorker } from "./late-worker.ts";
import { startFirst } from "./start-worker.ts";
import { compilerSources } from "./worker-sources.ts";

export function startCompileWorker(files: FileAddresses = {}): WorkerConnection {
  return lateWorker((signal) => startFirst("The worker that compiles mods", compilerSources(files), signal));
}
