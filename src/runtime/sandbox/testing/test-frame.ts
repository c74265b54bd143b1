/** The thread of a sandbox's frame, for tests: returns the engine's pings over a real port, unless it is paused. */
export interface TestFrame {
  /** The engine's end of the port. */
  readonly pingPort: MessagePort;
  /** From now on, pings are not answered until `resume`. */
  pause(): void;
  resume(): void;
  /** Settles when the engine has closed its end. */
  readonly closed: Promise<void>;
  close(): void;
}

export function createTestFrame(): TestFrame {
  const { port1, port2 } = new MessageChannel();
  let isPaused = false;
  let kept: unknown[] = [];
  port2.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (isPaused) kept.push(data);
    else port2.postMessage(data);
  };
  return {
    pingPort: port1,
    pause() {
      isPaused = true;
    },
    resume() {
      isPaused = false;
      for (const data of kept) port2.postMessage(data);
      kept = [];
    },
    closed: new Promise((resolve) => port2.addEventListener("close", () => resolve())),
    close: () => port2.close(),
  };
}
