/** How long a mod may take, and the clock that measures it. */

/** Milliseconds that a mod may take. */
export interface Deadlines {
  /** For loading the mod's file, which runs the code at its top level. */
  readonly load: number;
  readonly prefilled: number;
  /** For every other event. */
  readonly event: number;
}

export const defaultDeadlines: Deadlines = { load: 2_000, prefilled: 2_000, event: 250 };

/**
 * After this many replies (the load and one event), a mod may miss its deadline once in its request: it gets three more
 * deadlines. Other threads or a garbage collection may stop the mod's thread while its process runs, and browsers do not
 * report that. Requiring more replies would not help: a mod that wants to loop can count its replies.
 */
export const repliesBeforeGrace = 2;
export const graceDeadlines = 3;

/** Milliseconds within which each compile call settles: with the compiled source or with an error. */
export const longestCompileCallMs = 2_000;

/**
 * Milliseconds that compiling a source may take. The rest of `longestCompileCallMs` covers the time around it:
 * starting a worker again after the last one was ended, and timers that fire late on a busy machine.
 */
export const longestCompileMs = 0.75 * longestCompileCallMs;

/** Milliseconds in which a sandbox must build the model's tokenizer, before any line of the mod runs. */
export const longestTokenizerBuildMs = 20_000;

/** Number of ticks in a deadline. */
const ticks = 5;

/** Milliseconds. Browsers round nested timers up to this length. */
const shortestTick = 4;

/**
 * Milliseconds for which one deadline waits, in all, for a process that does not run. After that the process counts as dead,
 * so a deadline ends at most `deadline + longestProcessStandstillMs` after its start, in time in which this thread runs.
 */
export const longestProcessStandstillMs = 3_000;

/** Which limit was exceeded. */
export type ExceededLimit = "deadline" | "standstill";

/** Asks the guest's process for a sign of life; `FramePings` does. */
export interface ProcessPings {
  /** Calls `onAnswer` when this ping is answered. */
  send(onReply: () => void): void;
}

/**
 * Pings for a worker in this thread's process. The process runs whenever this thread runs, so each ping is answered at once.
 */
export const sameProcessPings: ProcessPings = { send: (onReply) => onReply() };

/**
 * Calls `onLate` after `deadline` milliseconds in which the guest could have replied; the returned function cancels the call. The
 * deadline counts ticks (timers of this thread), so time in which this thread does not run does not count. Each tick after the first
 * sends a ping, and a tick counts only if this ping or an earlier one is answered when the tick ends, so time in which the guest's
 * process does not run does not count either. If every ping is answered within its tick, the deadline has its nominal length.
 * Between two ticks, this thread handles a reply that is already queued.
 */
export function startDeadline(
  deadline: number,
  pings: ProcessPings,
  onLate: (by: ExceededLimit) => void,
): () => void {
  const length = Math.max(deadline / ticks, shortestTick);
  let left = ticks;
  let standstill = 0;
  // The first tick sends no ping, so a mod that replies within it costs no ping.
  let isAnswered = true;
  let timer: ReturnType<typeof setTimeout>;
  const tick = (): void => {
    timer = setTimeout(() => {
      if (isAnswered) {
        left -= 1;
        if (left === 0) return onLate("deadline");
        isAnswered = false;
        pings.send(() => {
          isAnswered = true;
        });
      } else {
        standstill += length;
        if (standstill >= longestProcessStandstillMs) return onLate("standstill");
      }
      tick();
    }, length);
  };
  tick();
  return () => clearTimeout(timer);
}
