/**
 * Long work in steps, so that it does not block the page: each `next()` does a limited piece of work and yields the share that
 * is done, from 0 to 1; the last one returns the result. A step counts its work and never looks at a clock.
 */
export type ResumableWork<Result> = Generator<number, Result, undefined>;

/** Steps that may also yield a promise, which the caller must await before the next step. The promise never rejects. */
export type WaitingWork<Result> = Generator<number | Promise<void>, Result, undefined>;

/** Runs all steps at once. @throws the errors of the steps. */
export function runToEnd<Result>(steps: ResumableWork<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The same steps as a part of larger work: their progress from 0 to 1 becomes `from` to `to`. */
export function scaleProgress<Result>(
  steps: ResumableWork<Result>,
  from: number,
  to: number,
): ResumableWork<Result>;
export function scaleProgress<Result>(
  steps: WaitingWork<Result>,
  from: number,
  to: number,
): WaitingWork<Result>;
export function* scaleProgress<Result>(
  steps: WaitingWork<Result>,
  from: number,
  to: number,
): WaitingWork<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    yield typeof step.value === "number" ? from + (to - from) * step.value : step.value;
  }
}

/**
 * Calls a function for each entry of a list, in steps.
 * @param workOf returns how much work an entry takes, for lists whose entries differ much; each entry counts 1 by default
 */
export function* forEachResumable<Entry>(
  list: readonly Entry[],
  act: (entry: Entry, place: number) => void,
  workOf: (entry: Entry) => number = () => 1,
): ResumableWork<void> {
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

/** Work per step, chosen so that a step takes a few milliseconds at most and the cost of stepping is negligible. */
export const workPerStep = 1024;
