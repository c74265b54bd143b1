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

/** Milliseconds that compiling a source may take. The start of the compiler is not counted. */
export const longestCompile = 2_000;

/** Milliseconds that a sandbox may take to build the model's tokenizer. No line of the mod has run then. */
export const longestPreparation = 20_000;

/** Parts of a deadline. */
const ticks = 5;

/**
 * Calls `onLate` after `deadline` milliseconds, unless the returned function is called before. The deadline passes in
 * several ticks: on a machine that gives this thread no time, it gives the guest none either, and each late tick makes up
 * for it. Between ticks, an answer that stands in the queue is let in.
 */
export function startDeadline(deadline: number, onLate: () => void): () => void {
  let left = ticks;
  let timer: ReturnType<typeof setTimeout>;
  const tick = (): void => {
    timer = setTimeout(() => {
      left -= 1;
      if (left > 0) tick();
      else onLate();
    }, deadline / ticks);
  };
  tick();
  return () => clearTimeout(timer);
}
