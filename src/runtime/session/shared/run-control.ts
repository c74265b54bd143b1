/**
 * Stop, pause, resume, step and breakpoints of one running request: the gate that the decode loop asks. All that is known of
 * when a request pauses stands here, and none of it reaches the request: it is the same one, held in its middle.
 */
import type { TraceRecord } from "../../../core/trace/format/format.ts";
import type { Breakpoint } from "./breakpoint.ts";
import { createBreakpointWatch } from "./breakpoint-watch.ts";

/** After so many milliseconds without a turn of the event loop, `pausePoint` gives it one before the next step. */
const TURN_MS = 12;

/** How often it is said how much the mods were told. */
const CAUGHT_UP_MS = 100;

/** Why a request is held. Plain data. */
export type PauseReason =
  | { readonly type: "asked" | "token" | "event" }
  | { readonly type: "breakpoints"; readonly met: readonly Breakpoint[] };

/** Where and why a request is held. Plain data. */
export interface Pause {
  readonly why: PauseReason;
  /** Number of records that were written before. */
  readonly records: number;
  /** Whether the request is paused between two steps, not in the middle of one. */
  readonly isBetweenSteps: boolean;
}

export interface RunControl {
  readonly signal: AbortSignal;
  /**
   * The decode loop asks `pausePoint` before each step, before each forward pass of a prompt, and after something was written down.
   * While the request is paused, `pausePoint` waits. It also gives the event loop a turn, so that `stop` and `pause` are received:
   * before a pass always, since a pass may take seconds, and before a step only once TURN_MS have passed. After `stepOnce`,
   * all that belongs to one step passes; after `stepEvent`, what leads to the next thing that is written down.
   */
  pausePoint(at: "step" | "pass" | "event"): Promise<void> | null;
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

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share the state of one request
export function createRunControl({
  turn,
  now,
  onTurn,
  onPaused,
  onCaughtUp,
  replayed = 0,
}: RunControlOptions): RunControl {
  const controller = new AbortController();
  const { signal } = controller;
  const watch = createBreakpointWatch();
  let paused = false;
  /** Why, once it is held. */
  let why: PauseReason = { type: "asked" };
  /** Single steps that were asked for and not begun. */
  const wanted: ("token" | "event")[] = [];
  /** The single step that goes on. */
  let stepping: "token" | "event" | null = null;
  /** The step of the request has written a token. */
  let hasToken = false;
  /** A single step began after the token of its step: it takes the next step too, unless another token comes. */
  let owesToken = false;
  let wake: (() => void) | null = null;
  let lastTurn = now();
  let lastCaughtUp = now();
  let records = 0;
  /** Something was written down since the gate was last asked about it. */
  let hasNews = false;
  let met: readonly Breakpoint[] = [];
  let pausedMs = 0;
  let heldSince: number | null = null;
  let isBetweenSteps = true;

  const wakeUp = () => {
    wake?.();
    wake = null;
  };
  const mustHold = () => paused && stepping === null && !signal.aborted;

  const tell = () => onPaused?.({ why, records, isBetweenSteps });

  /** Waits until the request may go on. */
  const hold = async (between: boolean) => {
    for (;;) {
      if (mustHold()) {
        stepping = wanted.shift() ?? null;
        owesToken = stepping === "token" && hasToken;
      }
      if (!mustHold()) return;
      onTurn();
      isBetweenSteps = between;
      tell();
      heldSince = now();
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      pausedMs += now() - heldSince;
      heldSince = null;
    }
  };

  const atEvent = (): Promise<void> | null => {
    if (!hasNews || signal.aborted) return null;
    hasNews = false;
    // One that was asked for while the request went on ends here.
    const isStep = stepping === "event" || (stepping === null && wanted[0] === "event");
    if (met.length > 0) {
      why = { type: "breakpoints", met };
      met = [];
      paused = true;
      wanted.length = 0;
    } else if (paused && isStep) {
      if (stepping === null) wanted.shift();
      why = { type: "event" };
    } else return null;
    stepping = null;
    return hold(false);
  };

  const endStep = () => {
    hasToken = false;
    if (stepping !== "token") return;
    if (owesToken) {
      owesToken = false;
      return;
    }
    stepping = null;
    why = { type: "token" };
  };

  const atStep = async (isPass: boolean) => {
    if (!isPass) endStep();
    if (isPass || paused || now() - lastTurn >= TURN_MS) {
      onTurn();
      await turn();
      lastTurn = now();
    }
    await hold(!isPass);
  };

  const step = (kind: "token" | "event") => {
    if (!paused) why = { type: "asked" };
    paused = true;
    wanted.push(kind);
    wakeUp();
  };

  return {
    signal,
    pausePoint: (at) => (at === "event" ? atEvent() : atStep(at === "pass")),
    see(record) {
      records += 1;
      const seen = watch.see(record);
      if (record.type === "added") {
        hasToken = true;
        owesToken = false;
      }
      if (records <= replayed) return;
      // The request itself is what was asked, and nothing that happened in it.
      hasNews ||= record.type !== "request";
      if (seen.length > 0) met = [...new Set([...met, ...seen])];
    },
    caughtUp(share) {
      if (now() - lastCaughtUp < CAUGHT_UP_MS) return;
      lastCaughtUp = now();
      onCaughtUp?.(share);
    },
    pausedMs: () => pausedMs + (heldSince === null ? 0 : now() - heldSince),
    setBreakpoints: (breakpoints) => watch.set(breakpoints),
    stop() {
      controller.abort();
      wakeUp();
    },
    pause() {
      if (!paused) why = { type: "asked" };
      paused = true;
      wanted.length = 0;
      stepping = null;
      // The asker may not know that the request is paused already.
      if (heldSince !== null) tell();
    },
    resume() {
      paused = false;
      stepping = null;
      wanted.length = 0;
      wakeUp();
    },
    stepOnce: () => step("token"),
    stepEvent: () => step("event"),
  };
}
