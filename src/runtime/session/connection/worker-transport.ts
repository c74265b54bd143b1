/** The connection to an engine in a worker of its own. */
import type { WorkerConnection } from "../../../core/base/worker-connection.ts";
import type { EngineMessage } from "../shared/protocol.ts";
import type { EngineTransport } from "../shared/transport.ts";

/** `worker` runs `engine-worker.ts`. It ends with the connection. */
export function workerTransport(worker: WorkerConnection): EngineTransport {
  const transport: EngineTransport = {
    onMessage: null,
    onEnd: null,
    post: (message, transfer) => worker.postMessage(message, transfer),
    close: () => worker.terminate(),
  };
  worker.onmessage = ({ data }: MessageEvent<EngineMessage>) => transport.onMessage?.(data);
  worker.onerror = ({ message }) => transport.onEnd?.(message || "its worker could not be started");
  return transport;
}
