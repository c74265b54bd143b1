/** The connection to an engine that runs elsewhere: in another page, a shared worker or an extension's background page. */
import type { EngineMessage } from "../shared/protocol.ts";
import type { EngineTransport } from "../shared/transport.ts";

/**
 * `port` leads to `serveEngine`. Closing the connection ends the requests of this port, but not the engine. If a browser
 * supports it, a `close` event tells the other end that the port is gone.
 */
export function portTransport(port: MessagePort): EngineTransport {
  const transport: EngineTransport = {
    onMessage: null,
    onEnd: null,
    post: (message, transfer) => port.postMessage(message, transfer),
    close: () => port.close(),
  };
  port.onmessage = ({ data }: MessageEvent<EngineMessage>) => transport.onMessage?.(data);
  port.addEventListener("close", () => transport.onEnd?.("the page that ran the engine was closed"));
  return transport;
}
