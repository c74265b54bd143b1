/** The options of a session, also for apps that serve Midtoken's files themselves. */

import type { FileAddresses } from "../../../core/base/file-addresses.ts";
import type { HubAccess } from "../../../core/base/hub-token.ts";
import type { WorkerConnection } from "../../../core/base/worker-connection.ts";
import { createSandboxPool } from "../../sandbox/frame.ts";
import type { SandboxPool } from "../../sandbox/sandbox-pool.ts";
import { startCompileWorker } from "../../sandbox/start-compile-worker.ts";
import { openEngineWorker } from "../connection/engine-worker-transport.ts";
import type { EngineTransport } from "../shared/transport.ts";

export interface SessionOptions {
  /** Opens the connection to an engine, and opens it again after it was closed. By default it starts a worker with `engine-worker.ts`. */
  readonly openTransport?: () => EngineTransport;
  /** Makes the pool of sandboxes. Needed if there is no document for iframes, as in Node. */
  readonly createSandboxes?: () => SandboxPool;
  /** Starts the compiler's worker. Needed if module workers cannot be started from an address, as in Node. */
  readonly startCompiler?: () => WorkerConnection;
  /** Milliseconds after a cancel (of a load, a request, a reading, a prompt) for which the worker may stay unresponsive before a new worker replaces it; 1,200 by default. */
  readonly cancelGraceMs?: number;
  /** Milliseconds that the worker may take to make a prompt's tokens (chat template and tokenizer); 15,000 by default. Making the tokenizer of a model that is loaded may take twice as long. */
  readonly promptDeadlineMs?: number;
  /** Bytes that all loaded models may use together, including the one in use; by default half of the device's memory, as far as the browser reports it. */
  readonly memoryBudget?: number;
  /** Access token for the hub, for gated and private models. In Node, `openTransport` has its own. */
  readonly hubAccess?: HubAccess | null;
}

/** The options for `createSession` in a document. */
export function browserSessionOptions(
  files: FileAddresses,
): Required<Pick<SessionOptions, "openTransport" | "startCompiler" | "createSandboxes">> {
  const { sandboxUrl } = files;
  return {
    openTransport: () => openEngineWorker(files),
    startCompiler: () => startCompileWorker(files),
    createSandboxes: () => createSandboxPool({ document, ...(sandboxUrl !== undefined && { sandboxUrl }) }),
  };
}
