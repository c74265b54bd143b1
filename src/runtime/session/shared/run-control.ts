/**
 * Stop, pause, resume, step and breakpoints of one running request: the gate that the decode loop asks. All that is known of
 * when a request pauses stands here, and none of it reaches the request: it is the same one, held in its middle.
 */
import type { TraceRecord } from "../../../core/trace/format/format.ts";
import type { Breakpoint, Pause, PauseReason } from "./breakpoint.ts";
import { createBreakpointWatch } from "./breakpoint-watch.ts";

/** After so many milliseconds without a turn of the event loop, `pausePoint` gives it one before the next step. */
const TURN_MS = 12;

/** How often it is said how much the mods were told. */
const CAUGHT_UP_MS = 100;

export interface RunControl {
  readonly signal: AbortSignal;
  /**
   * The decode loop asks `pausePoint` before each step, before each forward pass of a prompt, and after something was written down.
   * While the request is paused, `pausePoint` waits. It also gives the event loop a turn, so that `stop` and `pause` are received:
   * before a pass always, since a pass may take seconds, and before a step only once TURN_MS have passed. After `stepOnce`,
   * all that belongs to one step passes; after `stepEvent`, what leads to the next thing that is written down. `onHold` is called when
   * the request is held.
   */
  pausePoint(at: "step" | "pass" | "event", onHold?: () => void): Promise<void> | null;
  /** Takes what the loop writes down. */
  see(record: TraceRecord): void;
  /** Takes how much of what was before a branch the mods know by now. */
  caughtUp(share: number): void;
  /** Milliseconds for which the request was held. */
  pausedMs(): number;
  setBreakpoints(breakpoints: readonly Breakpoint[]): void;
  stop(): void;
  pause(): void;
  resume(): void;
  /** Lets one step pass, or the rest of a step that still writes a token, and pauses again. */
  stepOnce(): void;
  /** Goes on up to the next thing that is written down, and pauses again. */
  stepEvent(): void;
}

export interface RunControlOptions {
  /** Gives the event loop a turn, in which messages are received. */
  readonly turn: () => Promise<void>;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  /** Called before each turn, and so before each wait. */
  readonly onTurn: () => void;
  /** Called when the request is held, after `onTurn`. */
  readonly onPaused?: (pause: Pause) => void;
  /** Called now and then while mods are told of what was before a branch. */
  readonly onCaughtUp?: (share: number) => void;
  /** How many of the records happened before, in the request that this one branches off: nothing is held there. */
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
  /** Single steps that were asked for and not begun. */
  readonly #wanted: ("token" | "event")[] = [];
  /** The single step that goes on. */
  #stepping: "token" | "event" | null = null;
  /** The step of the request has written a token. */
  #hasToken = false;
  /** A single step began after the token of its step: it takes the next step too, unless another token comes. */
  #owesToken = false;
  #wake: (() => void) | null = null;
  #lastTurn: number;
  #lastCaughtUp: number;
  #records = 0;
  /** Something was written down since `pausePoint` was last asked about it. */
  #hasNews = false;
  #met: readonly Breakpoint[] = [];
  #pausedMs = 0;
  #heldSince: number | null = null;
  #isBetweenSteps = true;

  constructor(options: RunControlOptions) {
    this.#options = options;
    this.#lastTurn = options.now();
    this.#lastCaughtUp = options.now();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  pausePoint(at: "step" | "pass" | "event", onHold = () => {}): Promise<void> | null {
    return at === "event" ? this.#atEvent(onHold) : this.#atStep(at === "pass", onHold);
  }

  see(record: TraceRecord): void {
    this.#records += 1;
    const seen = this.#watch.see(record);
    if (record.type === "added") {
      this.#hasToken = true;
      this.#owesToken = false;
    }
    if (this.#records <= (this.#options.replayed ?? 0)) return;
    // The request itself is what was asked, and nothing that happened in it.
    this.#hasNews ||= record.type !== "request";
    if (seen.length > 0) this.#met = [...new Set([...this.#met, ...seen])];
  }

  caughtUp(share: number): void {
    if (this.#options.now() - this.#lastCaughtUp < CAUGHT_UP_MS) return;
    this.#lastCaughtUp = this.#options.now();
    this.#options.onCaughtUp?.(share);
  }

  pausedMs(): number {
    return this.#pausedMs + (this.#heldSince === null ? 0 : this.#options.now() - this.#heldSince);
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
    // The asker may not know that the request is paused already.
    if (this.#heldSince !== null) this.#tell();
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

  #mustHold(): boolean {
    return this.#paused && this.#stepping === null && !this.signal.aborted;
  }

  #tell(): void {
    const { onPaused } = this.#options;
    onPaused?.({ why: this.#why, records: this.#records, isBetweenSteps: this.#isBetweenSteps });
  }

  /** Waits until the request may go on. */
  async #hold(between: boolean, onHold: () => void): Promise<void> {
    for (;;) {
      if (this.#mustHold()) {
        this.#stepping = this.#wanted.shift() ?? null;
        this.#owesToken = this.#stepping === "token" && this.#hasToken;
      }
      if (!this.#mustHold()) return;
      onHold();
      this.#options.onTurn();
      this.#isBetweenSteps = between;
      this.#tell();
      this.#heldSince = this.#options.now();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#pausedMs += this.#options.now() - this.#heldSince;
      this.#heldSince = null;
    }
  }

  #atEvent(onHold: () => void): Promise<void> | null {
    if (!this.#hasNews || this.signal.aborted) return null;
    this.#hasNews = false;
    // A single step that was asked for while the request went on ends here.
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
    return this.#hold(false, onHold);
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

  async #atStep(isPass: boolean, onHold: () => void): Promise<void> {
    if (!isPass) this.#endStep();
    if (isPass || this.#paused || this.#options.now() - this.#lastTurn >= TURN_MS) {
      this.#options.onTurn();
      await this.#options.turn();
      this.#lastTurn = this.#options.now();
    }
    await this.#hold(!isPass, onHold);
  }
}
