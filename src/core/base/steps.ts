/**
 * Long work in steps, so that a page can do it without standing still: each `next()` does a bounded piece and yields how much
 * is done, from 0 to 1; the end returns the result. A step counts its work and never looks at a clock.
 */
export type Steps<Result> = Generator<number, Result, undefined>;

/** Steps that may yield, in place of a number, what has to be waited for before the next one. It never rejects. */
export type WaitingSteps<Result> = Generator<number | Promise<void>, Result, undefined>;

/** Does all steps at once. @throws what they throw. */
export function runToEnd<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The same steps as a part of something larger, which they take from `from` to `to`. */
export function partOf<Result>(steps: Steps<Result>, from: number, to: number): Steps<Result>;
export function partOf<Result>(steps: WaitingSteps<Result>, from: number, to: number): WaitingSteps<Result>;
export function* partOf<Result>(steps: WaitingSteps<Result>, from: number, to: number): WaitingSteps<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    yield typeof step.value === "number" ? from + (to - from) * step.value : step.value;
  }
}

/**
 * Does something to each entry of a list, some at a time. @param workOf how much an entry is, where some are much more than
 * others; a usual one is 1.
 */
export function* forEachInSteps<Entry>(
  list: readonly Entry[],
  act: (entry: Entry, place: number) => void,
  workOf: (entry: Entry) => number = () => 1,
): Steps<void> {
  let work = 0;
  for (let place = 0; place < list.length; place += 1) {
    const entry = list[place] as Entry;
    act(entry, place);
    work += workOf(entry);
    if (work < workPerStep) continue;
    work = 0;
    yield place / list.length;
  }
}

/** Work per step: a step takes a few milliseconds at most, and the steps themselves cost nothing noticeable. */
export const workPerStep = 1024;
