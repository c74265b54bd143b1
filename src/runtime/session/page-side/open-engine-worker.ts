/** `openEngineWorker` for apps. */
import type { FileAddresses } from "../../../core/base/file-addresses.ts";
import { checkOptionKeys } from "../../../core/base/known-keys.ts";
import { openEngineWorker as openWorkerAt } from "../connection/engine-worker-transport.ts";
import type { EngineTransport } from "../shared/transport.ts";

/** @throws TypeError for an address that does not exist, and outside the package an Error for any address */
export function openEngineWorker(files: FileAddresses = {}): EngineTransport {
  checkOptionKeys("openEngineWorker", files, { assetsUrl: true, workerUrl: true, sandboxUrl: true });
  return openWorkerAt(files);
}
