/** How long a mod may take, and the clock that holds it to that. */

/** Milliseconds that a mod may take. */
export interface Deadlines {
  /** For its own file to load: what stands at its top. */
  readonly load: number;
  readonly prefilled: number;
  /** For every other event. */
  readonly event: number;
}

export const defaultDeadlines: Deadlines = { load: 2_000, prefilled: 2_000, event: 250 };

/**
 * A mod that has given so many answers, its load and one event, may be late once in its request: it gets three deadlines
 * more. Its process may run while its own thread does not, beside other busy threads or while memory is collected, and no
 * browser tells. More answers would prove no more: a mod that means to loop can count them.
 */
export const provenAnswers = 2;
export const graceDeadlines = 3;

/** Milliseconds within which a source that is asked for is answered: compiled, or refused with words. */
export const longestCompileAnswer = 2_000;

/**
 * Milliseconds that compiling a source may take. The rest of `longestCompileAnswer` covers the time around it:
 * starting a worker again after the last one was ended, and timers that fire late on a busy machine.
 */
export const longestCompile = 0.75 * longestCompileAnswer;

/** Milliseconds that a sandbox may take to build the model's tokenizer. No line of the mod has run then. */
export const longestPreparation = 20_000;

/** Parts of a deadline. */
const ticks = 5;

/** Milliseconds. Browsers make timers that are set by timers no shorter. */
const shortestTick = 4;

/**
 * Milliseconds of one deadline, in all, for which it waits for a process that does not run. Then the process counts as
 * dead: a deadline ends `deadline + longestStandstill` after its start at the latest.
 */
export const longestStandstill = 3_000;

/** The limit that has passed. */
export type LateBy = "deadline" | "standstill";

/** Asks the guest's process for a sign of life; `FramePings` does. */
export interface Pings {
  /** Calls `onAnswer` when this ping is answered. */
  send(onAnswer: () => void): void;
}

/** For a worker of this thread's own process, which runs when this thread does. */
export const sameProcess: Pings = { send: (onAnswer) => onAnswer() };

/**
 * Calls `onLate` after `deadline` milliseconds in which the guest could have answered, unless the returned function is
 * called before. The time passes in ticks of this thread, each of them a timer: if the machine gives this thread no time,
 * none passes. With each tick but the first goes a ping, and a tick counts only if its ping, or an earlier one, has been
 * answered when it ends: if the machine gives the guest's process no time, none passes either. Where pings are answered
 * within a tick, the deadline is as long as it says. Between ticks, an answer that stands in the queue is let in.
 */
export function startDeadline(deadline: number, pings: Pings, onLate: (by: LateBy) => void): () => void {
  const length = Math.max(deadline / ticks, shortestTick);
  let left = ticks;
  let standstill = 0;
  // The first tick needs no ping, so that a mod which answers within it costs none.
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
        if (standstill >= longestStandstill) return onLate("standstill");
      }
      tick();
    }, length);
  };
  tick();
  return () => clearTimeout(timer);
}
