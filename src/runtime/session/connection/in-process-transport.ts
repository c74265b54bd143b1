/**
 * The connection to an engine on the same thread: for Node, for tests, and if no worker can be started. While the engine
 * computes, the thread does nothing else. Messages are passed by reference, each in its own turn of the event loop, like
 * messages of a worker.
 */
import { Engine } from "../engine-side/engine.ts";
import type { EngineOptions } from "../engine-side/engine-options.ts";
import type { EngineTransport } from "../shared/transport.ts";

export function inProcessTransport(options: Omit<EngineOptions, "send" | "reportBug">): EngineTransport {
  let isOpen = true;
  const engine = new Engine({
    ...options,
    send: (message) =>
      queueMicrotask(() => {
        if (isOpen) transport.onMessage?.(message);
      }),
    reportBug: (error) => {
      if (isOpen) transport.onEnd?.(String(error));
    },
  });
  const transport: EngineTransport = {
    onMessage: null,
    onEnd: null,
    post: (message) =>
      queueMicrotask(() => {
        if (isOpen) engine.receive(message);
      }),
    close() {
      isOpen = false;
      void engine.dispose();
    },
  };
  return transport;
}
