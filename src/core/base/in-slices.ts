/** Long work done in slices of the page's time: between two of them the page draws, and hears its user. */
import { nextTask } from "./next-task.ts";
import type { Steps, WaitingSteps } from "./steps.ts";

/** Milliseconds of one slice. A step takes a few at most, so that a slice is not much longer. */
const sliceMs = 24;

export interface SliceOptions {
  /** Aborted: no further slice begins. The steps may be gone on with later. */
  readonly signal?: AbortSignal;
  /** Called after each slice but the last, with the share that is done, 0 to 1. */
  readonly onProgress?: (share: number) => void;
}

/**
 * The first slice is done at once, so that work which fits one has its result in the same task.
 * @throws what the steps throw, and the signal's reason once it is aborted.
 */
export async function runInSlices<Result>(
  steps: WaitingSteps<Result>,
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
 * Runs one slice, of so many milliseconds, of steps that wait for nothing. Returns the result, or the share that is
 * done. @throws the errors of the steps.
 */
export function runSlice<Result>(steps: Steps<Result>, ms: number): IteratorResult<number, Result> {
  const end = performance.now() + ms;
  for (;;) {
    const step = steps.next();
    if (step.done || performance.now() >= end) return step;
  }
}
