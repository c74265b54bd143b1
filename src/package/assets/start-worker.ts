/** Starts a worker of the package from an address, or from a source that replaces the address. */
import { messageOf } from "../../core/base/message-of.ts";
import { fetchScript, isSameOriginAddress } from "./fetch-script.ts";
import { waitUntilWorkerReady } from "./late-worker.ts";
import { createScriptUrl } from "./portable.ts";

/** One way to get the worker. */
export interface WorkerSource {
  /** The source's name for messages: an address, or another description. */
  readonly name: string;
  /** Starts the worker and sends its first message. @throws Error whose message is a part of a sentence */
  open(signal: AbortSignal): Promise<Worker>;
}

/** @param first the message that the worker waits for, if any */
export function workerSourceFromAddress(address: string, first: () => Promise<unknown>): WorkerSource {
  return {
    name: address,
    async open(signal) {
      if (!isSameOriginAddress(address))
        return startScript(createScriptUrl(await fetchScript(address)), first, signal);
      try {
        return await startScript(address, first, signal);
      } catch (error) {
        signal.throwIfAborted();
        // If a script cannot be loaded, the browser gives no reason, so the script is fetched to find the reason.
        await fetchScript(address);
        throw error;
      }
    },
  };
}

export function workerSourceFromScript(
  source: () => Promise<string>,
  first: () => Promise<unknown>,
): WorkerSource {
  return {
    name: "the copy of the worker in the app's scripts",
    open: async (signal) => startScript(createScriptUrl(await source()), first, signal),
  };
}

async function startScript(
  address: string,
  first: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<Worker> {
  const message = await first();
  signal.throwIfAborted();
  const worker = new Worker(address, { type: "module" });
  if (message !== undefined) worker.postMessage(message);
  return waitUntilWorkerReady(worker, signal);
}

/**
 * Starts the worker from the first source that works. @param what the worker's name in messages: "The engine's worker"
 * @throws Error that says why each source failed, and what to do.
 */
export async function startWorkerFromSources(
  what: string,
  sources: readonly WorkerSource[],
  signal: AbortSignal,
): Promise<Worker> {
  if (globalThis.Worker === undefined) {
    throw new Error(
      `${what} could not be started, because Web Workers are not available here. In Node, use createNodeEngine from midtoken/node; on a server that renders pages, create the engine in the browser`,
    );
  }
  const failures: string[] = [];
  for (const source of sources) {
    try {
      return await source.open(signal);
    } catch (error) {
      signal.throwIfAborted();
      failures.push(`${source.name}: ${messageOf(error)}`);
    }
  }
  throw new Error(`${what} could not be started. ${failures.join(" ")} ${advice}`);
}

const advice =
  "Serve a copy of node_modules/midtoken/dist and give createEngine its address as assetsUrl. If the page has a content security policy, allow the worker's address in worker-src, 'wasm-unsafe-eval' in script-src, and the servers of the worker's files in connect-src";
