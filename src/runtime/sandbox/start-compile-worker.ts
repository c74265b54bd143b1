/** Starts the compiler's worker from the address that Vite gives it. In the npm package, `src/package/assets/start-compile-worker.ts` replaces this module. */
import type { FileAddresses } from "../../core/base/file-addresses.ts";
import type { WorkerConnection } from "../../core/base/worker-connection.ts";

/** @throws Error if an address is given: only the package supports addresses. */
export function startCompileWorker({ assetsUrl }: FileAddresses = {}): WorkerConnection {
  if (assetsUrl !== undefined)
    throw new Error("The option assetsUrl works only in the npm package. Leave assetsUrl out.");
  return new Worker(new URL("./compile-worker.ts", import.meta.url), { type: "module" });
}
