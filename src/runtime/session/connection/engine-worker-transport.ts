/** Starts the engine's worker from the address that Vite gives it. In the npm package, `src/package/assets/open-engine-worker.ts` replaces this module. */
import type { FileAddresses } from "../../../core/base/file-addresses.ts";
import type { EngineTransport } from "../shared/transport.ts";
import { workerTransport } from "./worker-transport.ts";

/** @throws Error if an address is given: only the package supports addresses. */
export function openEngineWorker({ assetsUrl, workerUrl }: FileAddresses = {}): EngineTransport {
  if (assetsUrl !== undefined || workerUrl !== undefined) {
    throw new Error("The options assetsUrl and workerUrl work only in the npm package. Leave them out.");
  }
  return workerTransport(new Worker(new URL("./engine-worker.ts", import.meta.url), { type: "module" }));
}
