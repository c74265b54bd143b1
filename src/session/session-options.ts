/** Session options for an app that serves files of Midtoken itself. */
import type { FileAddresses } from "../base/file-addresses.ts";
import { createSandboxPool } from "../sandbox/frame.ts";
import { startCompileWorker } from "../sandbox/start-compile-worker.ts";
import type { SessionOptions } from "./client.ts";
import { openEngineWorker } from "./engine-worker-transport.ts";

/** For `createSession`, where there is a document. */
export function sessionOptionsFor(
  files: FileAddresses,
): Required<Pick<SessionOptions, "openTransport" | "startCompiler" | "createSandboxes">> {
  const { sandboxUrl } = files;
  return {
    openTransport: () => openEngineWorker(files),
    startCompiler: () => startCompileWorker(files),
    createSandboxes: () => createSandboxPool({ document, ...(sandboxUrl !== undefined && { sandboxUrl }) }),
  };
}
