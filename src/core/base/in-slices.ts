/** Does long work in short slices of time: between two slices, the page can draw and react to its user. */
import { nextTask } from "./next-task.ts";
import type { ResumableWork, WaitingWork } from "./resumable-work.ts";

/** Milliseconds of one slice. A step takes a few milliseconds at most, so a slice takes hardly longer. */
const sliceMs = 24;

export interface SliceOptions {
  /** Once aborted, no further slice begins. The steps may be continued later. */
  readonly signal?: AbortSignal;
  /** Called after each slice but the last, with the share that is done, 0 to 1. */
  readonly onProgress?: (share: number) => void;
}

/**
 * Runs the steps in slices. The first slice runs at once, so that short work is finished in the same task.
 * @throws what the steps throw, and the signal's reason once it is aborted.
 */
export async function runInSlices<Result>(
  steps: WaitingWork<Result>,
  { signal, onProgress }: SliceOptions = {},
): Promise<Result> {
  let share = 0;
  for (;;) {
    signal?.throwIfAborted();
    const end = performance.now() + sliceMs;
    do {
      const step = steps.next();
      if (step.done) return step.value;
      if (typeof step.value === "number") share = step.value;
      else await step.value;
    } while (performance.now() < end);
    onProgress?.(share);
    await nextTask();
  }
}

/**
 * Runs one slice of `ms` milliseconds of steps that wait for nothing. Returns the result, or the share that is done. @throws
 * the errors of the steps.
 */
export function runSlice<Result>(steps: ResumableWork<Result>, ms: number): IteratorResult<number, Result> {
  const end = performance.now() + ms;
  for (;;) {
    const step = steps.next();
    if (step.done || performance.now() >= end) return step;
  }
}
