/** A real engine that replaces the worker in Node. Its ports copy messages like a worker's. */
import { Engine } from "../engine-side/engine.ts";
import type { EngineOptions } from "../engine-side/engine-options.ts";
import type { EngineMessage, PageMessage } from "../shared/protocol.ts";
import type { EngineTransport } from "../shared/transport.ts";

export interface EngineThread {
  /** The connection for the session under test. */
  readonly transport: EngineTransport;
  /** Types of the messages that it received. */
  readonly posted: readonly PageMessage["type"][];
  readonly isClosed: boolean;
  /** From now on no message leaves or reaches the engine, as if the worker looped. */
  hang(): void;
  /** Ends the engine as a browser ends a worker that runs out of memory. */
  crash(message: string): void;
}

/**
 * Lets Node's event loop run once. It uses `setImmediate`, because Node reads hundreds of messages of one port before it
 * reads another port: after a message, the session's messages would not be received.
 */
export const nextEventLoopTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

export function startEngineThread(options: Pick<EngineOptions, "loadModel">): EngineThread {
  const { port1: page, port2: thread } = new MessageChannel();
  let isAlive = true;
  let hangs = false;
  const posted: PageMessage["type"][] = [];
  const engine = new Engine({
    ...options,
    send: (message, transfer = []) => {
      if (isAlive && !hangs) thread.postMessage(message, transfer as ArrayBuffer[]);
    },
    turn: nextEventLoopTurn,
    now: () => performance.now(),
    date: () => 0,
    reportBug: (error) => crash(String(error)),
  });
  thread.onmessage = ({ data }: MessageEvent<PageMessage>) => {
    if (!hangs) engine.receive(data);
  };
  const transport: EngineTransport = {
    onMessage: null,
    onEnd: null,
    post(message, transfer) {
      posted.push(message.type);
      page.postMessage(message, transfer as MessagePort[]);
    },
    close() {
      isAlive = false;
      page.close();
      thread.close();
    },
  };
  page.onmessage = ({ data }: MessageEvent<EngineMessage>) => {
    if (isAlive) transport.onMessage?.(data);
  };
  function crash(message: string): void {
    if (!isAlive) return;
    transport.close();
    transport.onEnd?.(message);
  }
  const hang = () => {
    hangs = true;
  };
  return {
    transport,
    posted,
    get isClosed() {
      return !isAlive;
    },
    hang,
    crash,
  };
}
