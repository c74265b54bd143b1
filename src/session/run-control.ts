/** Stop, pause, resume and step of one running request: the gate that the decode loop awaits before each step. */

/** How long the loop may keep the worker to itself, in milliseconds. */
const TURN_MS = 12;

export interface RunControl {
  readonly signal: AbortSignal;
  /**
   * Awaited before each step and before each pass of a prompt: waits while paused, and lets messages in, now and then before
   * a step and always before a pass, which may take seconds. A single step has all passes of its prompt.
   */
  gate(before: "step" | "pass"): Promise<void>;
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
  /** A single step is under way. */
  let isStepping = false;
  let wake: (() => void) | null = null;
  let lastTurn = now();

  const wakeUp = () => {
    wake?.();
    wake = null;
  };

  return {
    signal: controller.signal,
    async gate(before) {
      if (before === "step") isStepping = false;
      if (before === "pass" || paused || now() - lastTurn >= TURN_MS) {
        onTurn();
        await turn();
        lastTurn = now();
      }
      while (paused && !isStepping && !controller.signal.aborted) {
        if (steps > 0) {
          steps -= 1;
          isStepping = true;
        } else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    },
    stop() {
      controller.abort();
      wakeUp();
    },
    pause() {
      paused = true;
      steps = 0;
      isStepping = false;
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
