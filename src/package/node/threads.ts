/** Threads of Node that run one program, given as its text. */
import { Worker, type WorkerOptions } from "node:worker_threads";
import type { WorkerConnection } from "../../core/base/worker-connection.ts";

/**
 * A thread that inherits nothing of this process: neither its environment, nor its arguments, nor its standard streams. It
 * keeps no process from ending.
 */
export function startThread(
  program: string,
  options: Pick<WorkerOptions, "workerData" | "transferList" | "resourceLimits"> = {},
): Worker {
  const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(program)}`), {
    ...options,
    env: {},
    argv: [],
    execArgv: [],
    stdin: false,
    stdout: true,
    stderr: true,
  });
  thread.unref();
  return thread;
}

/** A thread as a browser's worker is used. */
export function threadConnection(thread: Worker): WorkerConnection {
  const line: WorkerConnection = {
    onmessage: null,
    onerror: null,
    postMessage: (message, transfer) => thread.postMessage(message, transfer as never),
    terminate: () => void thread.terminate(),
  };
  thread.on("message", (data: unknown) => line.onmessage?.({ data } as MessageEvent));
  thread.on("error", ({ message }) => line.onerror?.({ message } as ErrorEvent));
  return line;
}
