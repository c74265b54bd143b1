/** Stop, pause, resume and step of one running request: the gate that the decode loop awaits before each step. */

/** After so many milliseconds without a turn of the event loop, `gate` gives it one before the next step. */
const TURN_MS = 12;

export interface RunControl {
  readonly signal: AbortSignal;
  /**
   * The decode loop awaits `gate` before each step and before each forward pass of a prompt. While the request is paused,
   * `gate` waits. It also gives the event loop a turn, so that `stop` and `pause` are received: before a pass always, since
   * a pass may take seconds, and before a step only once TURN_MS have passed. After `stepOnce`, the passes of one prompt
   * all belong to the same step.
   */
  gate(before: "step" | "pass"): Promise<void>;
  stop(): void;
  pause(): void;
  resume(): void;
  /** Lets one step pass, and pauses again. */
  stepOnce(): void;
}

/**
 * @param turn gives the event loop a turn, in which messages are received.
 * @param now milliseconds, monotonic.
 * @param onTurn called before each turn, and so before each wait.
 */
export function createRunControl(
  turn: () => Promise<void>,
  now: () => number,
  onTurn: () => void,
): RunControl {
  const controller = new AbortController();
  let paused = false;
  let steps = 0;
  /** True from the moment a single step is let through until the `gate` before the next step. */
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
