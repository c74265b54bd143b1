/**
 * Records how long the stages of loading take, as `performance.measure` entries. The browser's profiler shows these entries,
 * and `npm run bench -- load --only ready` reads them. Stages may overlap.
 */

/** In the order in which the stages usually begin. */
export type LoadStage =
  | "describe"
  | "tokenizer"
  | "device"
  | "opening weights"
  | "runtime"
  | "instance"
  | "rewrite"
  | "reading weights"
  | "session"
  | "probe";

/** The beginning of every entry's name. */
export const loadEntryPrefix = "midtoken load: ";

/** Runs `work` and records how long it took. If `work` fails, nothing is recorded. */
export async function timeStage<Result>(
  stage: LoadStage,
  work: () => Promise<Result> | Result,
): Promise<Result> {
  const start = performance.now();
  const result = await work();
  recordStage(stage, start, performance.now() - start);
  return result;
}

/** Records a stage that took `duration` milliseconds in all after `start`, perhaps with interruptions. */
export function recordStage(stage: LoadStage, start: number, duration: number): void {
  performance.measure(loadEntryPrefix + stage, { start, duration });
}
