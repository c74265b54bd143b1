/** An engine that stands in for a worker in Node: the real one, behind ports that copy messages as those of a worker do. */
import { Engine } from "../engine-side/engine.ts";
import type { EngineOptions } from "../engine-side/engine-options.ts";
import type { EngineMessage, PageMessage } from "../shared/protocol.ts";
import type { EngineTransport } from "../shared/transport.ts";

export interface EngineThread {
  /** The line that the session under test has to it. */
  readonly transport: EngineTransport;
  /** Types of the messages that it was posted. */
  readonly posted: readonly PageMessage["type"][];
  readonly isClosed: boolean;
  /** From now on nothing comes out of the engine and nothing reaches it, as when a worker loops. */
  hang(): void;
  /** Ends the engine as a browser ends a worker that ran out of memory. */
  crash(message: string): void;
}

/**
 * A turn of Node's event loop. `setImmediate`, because Node reads hundreds of messages of one port before it looks at
 * another port: a turn by a message would let in no message of the session.
 */
export const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

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
    turn,
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
