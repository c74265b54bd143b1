/** The options of a session, and of an app that serves Midtoken's files itself. */

import type { FileAddresses } from "../../../core/base/file-addresses.ts";
import type { HubAccess } from "../../../core/base/hub-token.ts";
import type { WorkerConnection } from "../../../core/base/worker-connection.ts";
import { createSandboxPool } from "../../sandbox/frame.ts";
import type { SandboxPool } from "../../sandbox/sandbox-pool.ts";
import { startCompileWorker } from "../../sandbox/start-compile-worker.ts";
import { openEngineWorker } from "../connection/engine-worker-transport.ts";
import type { EngineTransport } from "../shared/transport.ts";

export interface SessionOptions {
  /** Opens the line to an engine; again after it was closed. A worker that runs `engine-worker.ts`, unless given. */
  readonly openTransport?: () => EngineTransport;
  /** Makes the pool of sandboxes. Given where there is no document to make iframes in, as in Node. */
  readonly createSandboxes?: () => SandboxPool;
  /** Starts the compiler's worker. Given where module workers cannot be started from an address, as in Node. */
  readonly startCompiler?: () => WorkerConnection;
  /** Milliseconds that cancelled work (a load, a request, a reading, a prompt) may keep the worker from answering, before another worker takes its place; 1,200 unless given. */
  readonly cancelGraceMs?: number;
  /** Milliseconds that the worker may take for a prompt; 15,000 unless given. The tokenizer of a model that is loaded may take twice as long. */
  readonly promptDeadlineMs?: number;
  /** Bytes that the models which stay loaded may take together, the one that is used among them; half of the device's memory unless given, as far as browsers tell it. */
  readonly memoryBudget?: number;
  /** Shown to the hub, for gated and private models. `openTransport` of Node has its own. */
  readonly hubAccess?: HubAccess | null;
}

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
