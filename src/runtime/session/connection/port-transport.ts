/** The line to an engine that somebody else has: in another page, a shared worker or an extension's background page. */
import type { EngineMessage } from "../shared/protocol.ts";
import type { EngineTransport } from "../shared/transport.ts";

/**
 * `port` leads to `serveEngine`. Closing the line leaves the engine alone, but for the requests of this port, which end.
 * Browsers tell the other end that a port is gone by a `close` event, where they have it.
 */
export function portTransport(port: MessagePort): EngineTransport {
  const transport: EngineTransport = {
    onMessage: null,
    onEnd: null,
    post: (message, transfer) => port.postMessage(message, transfer),
    close: () => port.close(),
  };
  port.onmessage = ({ data }: MessageEvent<EngineMessage>) => transport.onMessage?.(data);
  port.addEventListener("close", () => transport.onEnd?.("the page that runs it was closed"));
  return transport;
}
