/**
 * Stop, pause, resume, single steps and breakpoints of one running request. Example: while the request is paused, the decode
 * loop's `await pausePoint("step")` waits; `stepOnce()` lets one step pass, `resume()` lets all pass. The request itself does
 * not notice a pause: its trace is the same, except for `pausedMs`.
 */
import type { TraceRecord } from "../../../core/trace/format/format.ts";
import type { Breakpoint, Pause, PauseReason } from "./breakpoint.ts";
import { createBreakpointWatch } from "./breakpoint-watch.ts";

/** After this many milliseconds without yielding, `pausePoint` lets the event loop run before the next step. */
const TURN_MS = 12;

/** Fewest milliseconds between two reports of the mods' catch-up. */
const CAUGHT_UP_MS = 100;

export interface RunControl {
  readonly signal: AbortSignal;
  /**
   * The decode loop awaits `pausePoint` before each step, before each forward pass of a prompt, and after each trace record.
   * While the request is paused, `pausePoint` waits. It also lets the event loop run, so that messages such as `stop` and
   * `pause` are received: before every pass, since a pass may take seconds, and before a step if TURN_MS have passed. After
   * `stepOnce`, one whole step passes; after `stepEvent`, everything up to the next trace record. `onWait` is called when
   * the wait begins.
   */
  pausePoint(at: "step" | "pass" | "event", onWait?: () => void): Promise<void> | null;
  /** Call this for each trace record of the request. */
  see(record: TraceRecord): void;
  /** Call this while mods catch up with the events before a branch: `share` of these events, from 0 to 1, is done. */
  caughtUp(share: number): void;
  /** Milliseconds for which the request has been paused. */
  pausedMs(): number;
  setBreakpoints(breakpoints: readonly Breakpoint[]): void;
  stop(): void;
  pause(): void;
  resume(): void;
  /** Lets one step pass, or the rest of a step that has not written its token yet, and pauses again. */
  stepOnce(): void;
  /** Continues up to the next trace record, and pauses again. */
  stepEvent(): void;
}

export interface RunControlOptions {
  /** Lets the event loop run once, so that messages are received. */
  readonly turn: () => Promise<void>;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  /** Called before each `turn` and before each wait. */
  readonly onTurn: () => void;
  /** Called when the request pauses, after `onTurn`. The callback may call `resume`, `stop` or a single step. */
  readonly onPaused?: (pause: Pause) => void;
  /** Called every CAUGHT_UP_MS or less often while mods catch up with the events before a branch. */
  readonly onCaughtUp?: (share: number) => void;
  /** Number of first records that come from the parent request of a branch: the request never pauses at them. */
  readonly replayed?: number;
}

export function createRunControl(options: RunControlOptions): RunControl {
  return new OneRunControl(options);
}

class OneRunControl implements RunControl {
  readonly #options: RunControlOptions;
  readonly #controller = new AbortController();
  readonly #watch = createBreakpointWatch();
  #paused = false;
  /** Why the request is paused. */
  #why: PauseReason = { type: "asked" };
  /** Requested single steps that have not begun. */
  readonly #wanted: ("token" | "event")[] = [];
  /** The single step in progress. */
  #stepping: "token" | "event" | null = null;
  /** Whether the request's current step has written a token. */
  #hasToken = false;
  /** Whether a single step began after its step had written a token. It then also covers the next step, unless another token comes first. */
  #owesToken = false;
  #wake: (() => void) | null = null;
  #lastTurn: number;
  #lastCaughtUp: number;
  #records = 0;
  /** Whether a record came since the last `pausePoint("event")`. */
  #hasNews = false;
  #met: readonly Breakpoint[] = [];
  #pausedMs = 0;
  /** When the current pause began; null while the request runs. */
  #pausedSince: number | null = null;
  #isBetweenSteps = true;

  constructor(options: RunControlOptions) {
    this.#options = options;
    this.#lastTurn = options.now();
    this.#lastCaughtUp = options.now();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  pausePoint(at: "step" | "pass" | "event", onWait = () => {}): Promise<void> | null {
    return at === "event" ? this.#atEvent(onWait) : this.#atStep(at === "pass", onWait);
  }

  see(record: TraceRecord): void {
    this.#records += 1;
    const seen = this.#watch.see(record);
    if (record.type === "added") {
      this.#hasToken = true;
      this.#owesToken = false;
    }
    if (this.#records <= (this.#options.replayed ?? 0)) return;
    // The first record is the request itself, not an event.
    this.#hasNews ||= record.type !== "request";
    if (seen.length > 0) this.#met = [...new Set([...this.#met, ...seen])];
  }

  caughtUp(share: number): void {
    if (this.#options.now() - this.#lastCaughtUp < CAUGHT_UP_MS) return;
    this.#lastCaughtUp = this.#options.now();
    this.#options.onCaughtUp?.(share);
  }

  pausedMs(): number {
    return this.#pausedMs + (this.#pausedSince === null ? 0 : this.#options.now() - this.#pausedSince);
  }

  setBreakpoints(breakpoints: readonly Breakpoint[]): void {
    this.#watch.set(breakpoints);
  }

  stop(): void {
    this.#controller.abort();
    this.#wakeUp();
  }

  pause(): void {
    if (!this.#paused) this.#why = { type: "asked" };
    this.#paused = true;
    this.#wanted.length = 0;
    this.#stepping = null;
    // The request is already paused, but the caller may not know this yet.
    if (this.#pausedSince !== null) this.#reportPause();
  }

  resume(): void {
    this.#paused = false;
    this.#stepping = null;
    this.#wanted.length = 0;
    this.#wakeUp();
  }

  stepOnce(): void {
    this.#step("token");
  }

  stepEvent(): void {
    this.#step("event");
  }

  #step(kind: "token" | "event"): void {
    if (!this.#paused) this.#why = { type: "asked" };
    this.#paused = true;
    this.#wanted.push(kind);
    this.#wakeUp();
  }

  #wakeUp(): void {
    this.#wake?.();
    this.#wake = null;
  }

  #mustPause(): boolean {
    return this.#paused && this.#stepping === null && !this.signal.aborted;
  }

  #reportPause(): void {
    const { onPaused } = this.#options;
    onPaused?.({ why: this.#why, records: this.#records, isBetweenSteps: this.#isBetweenSteps });
  }

  /** Waits while the request is paused and no single step is in progress. */
  async #pause(between: boolean, onWait: () => void): Promise<void> {
    for (;;) {
      if (this.#mustPause()) {
        this.#stepping = this.#wanted.shift() ?? null;
        this.#owesToken = this.#stepping === "token" && this.#hasToken;
      }
      if (!this.#mustPause()) return;
      // The wait begins before the callbacks, which may resume the request.
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      onWait();
      this.#options.onTurn();
      this.#isBetweenSteps = between;
      this.#reportPause();
      this.#pausedSince = this.#options.now();
      await woken;
      this.#pausedMs += this.#options.now() - this.#pausedSince;
      this.#pausedSince = null;
    }
  }

  #atEvent(onWait: () => void): Promise<void> | null {
    if (!this.#hasNews || this.signal.aborted) return null;
    this.#hasNews = false;
    // A single step that was requested while the request was running ends here.
    const isStep = this.#stepping === "event" || (this.#stepping === null && this.#wanted[0] === "event");
    if (this.#met.length > 0) {
      this.#why = { type: "breakpoints", met: this.#met };
      this.#met = [];
      this.#paused = true;
      this.#wanted.length = 0;
    } else if (this.#paused && isStep) {
      if (this.#stepping === null) this.#wanted.shift();
      this.#why = { type: "event" };
    } else return null;
    this.#stepping = null;
    return this.#pause(false, onWait);
  }

  #endStep(): void {
    this.#hasToken = false;
    if (this.#stepping !== "token") return;
    if (this.#owesToken) {
      this.#owesToken = false;
      return;
    }
    this.#stepping = null;
    this.#why = { type: "token" };
  }

  /** Null if the request is neither paused nor due to let the event loop run, as before nearly all steps. */
  #atStep(isPass: boolean, onWait: () => void): Promise<void> | null {
    if (!isPass) this.#endStep();
    const isTurn = isPass || this.#paused || this.#options.now() - this.#lastTurn >= TURN_MS;
    return isTurn ? this.#turnAndPause(!isPass, onWait) : null;
  }

  async #turnAndPause(between: boolean, onWait: () => void): Promise<void> {
    this.#options.onTurn();
    await this.#options.turn();
    this.#lastTurn = this.#options.now();
    await this.#pause(between, onWait);
  }
}
