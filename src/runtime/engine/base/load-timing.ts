/**
 * How long the stages of loading take, as `performance.measure` entries: the browser's profiler shows them, and
 * `npm run bench -- load --only ready` reads them. Stages may overlap.
 */

/** In the order in which they begin, as a rule. */
export type LoadStage =
  | "describe"
  | "tokenizer"
  | "device"
  | "open weights"
  | "runtime"
  | "instance"
  | "rewrite"
  | "read weights"
  | "session"
  | "probe";

/** The beginning of every entry's name. */
export const loadEntryPrefix = "midtoken load: ";

/** Runs `work` and notes how long it took; of work that fails, nothing. */
export async function timed<Result>(stage: LoadStage, work: () => Promise<Result> | Result): Promise<Result> {
  const start = performance.now();
  const result = await work();
  note(stage, start, performance.now() - start);
  return result;
}

/** Notes a stage that took `duration` milliseconds in all from `start` on, perhaps in pieces. */
export function note(stage: LoadStage, start: number, duration: number): void {
  performance.measure(loadEntryPrefix + stage, { start, duration });
}
