/** Starts Node threads from a program's text. */
import { Worker, type WorkerOptions } from "node:worker_threads";
import type { WorkerConnection } from "../../core/base/worker-connection.ts";

/**
 * A thread that inherits nothing of this process: no environment, arguments or standard streams. It does not keep the
 * process running.
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

/** A thread with the interface of a browser's worker. */
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
