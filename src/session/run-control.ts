/** Stop, pause, resume and step of one running request: the gate that the decode loop awaits before each step. */

/** How long the loop may keep the worker to itself, in milliseconds. */
const TURN_MS = 12;

export interface RunControl {
  readonly signal: AbortSignal;
  /** Awaited before each step: waits while paused, lets messages in now and then. */
  gate(): Promise<void>;
  stop(): void;
  pause(): void;
  resume(): void;
  /** Lets one step pass, and pauses again. */
  stepOnce(): void;
}

/**
 * @param turn gives the event loop a turn; `onTurn` is called before each, and before a wait.
 * @param now milliseconds, monotonic.
 */
export function createRunControl(
  turn: () => Promise<void>,
  now: () => number,
  onTurn: () => void,
): RunControl {
  const controller = new AbortController();
  let paused = false;
  let steps = 0;
  let wake: (() => void) | null = null;
  let lastTurn = now();

  const wakeUp = () => {
    wake?.();
    wake = null;
  };

  return {
    signal: controller.signal,
    async gate() {
      if (now() - lastTurn >= TURN_MS || paused) {
        onTurn();
        await turn();
        lastTurn = now();
      }
      while (paused && steps === 0 && !controller.signal.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (paused && steps > 0) steps -= 1;
    },
    stop() {
      controller.abort();
      wakeUp();
    },
    pause() {
      paused = true;
      steps = 0;
    },
    resume() {
      paused = false;
      wakeUp();
    },
    stepOnce() {
      paused = true;
      steps += 1;
      wakeUp();
    },
  };
}
