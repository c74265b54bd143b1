/** How often each part of the work was done for some tokens, and how long the work took. Pure. */
import type { TokenRange } from "./selection.ts";
import { spanRangeOf, type TimeSpanTable, timeSpansOf } from "./time-spans.ts";
import type { TraceModel } from "./trace-model.ts";

export type WorkPart = "prompt" | "passes" | "sampling" | { readonly mod: number };

export interface WorkPartTime {
  readonly part: WorkPart;
  readonly count: number;
  /** Total duration in microseconds; null if the trace has no times. */
  readonly totalUs: number | null;
  readonly longestUs: number | null;
  /** Index of the token whose span took longest. */
  readonly longestToken: number;
}

/**
 * A row for each part of the work that was done at least once, in the order of the tracks. If several mods were asked at the
 * same time, that time counts for each mod.
 */
export function timeByPart(
  model: Pick<TraceModel, "records" | "leftOut">,
  range: TokenRange,
): readonly WorkPartTime[] {
  const { passes, sampling, mods } = timeSpansOf(model);
  const timed = !model.leftOut.has("timings");
  const prompt = { first: Math.min(range.first, 1), end: Math.min(range.end, 1) };
  const rest = { first: Math.max(range.first, 1), end: Math.max(range.end, 1) };
  return [
    sumOf("prompt", passes, prompt, timed),
    sumOf("passes", passes, rest, timed),
    sumOf("sampling", sampling, range, timed),
    ...mods.map((table, mod) => sumOf({ mod }, table, range, timed)),
  ].filter(({ count }) => count > 0);
}

function sumOf(part: WorkPart, table: TimeSpanTable, range: TokenRange, timed: boolean): WorkPartTime {
  const { first, end } = spanRangeOf(table, range);
  let totalUs = 0;
  let longestUs = -1;
  let longestToken = range.first;
  for (let span = first; span < end; span += 1) {
    const took = (table.endUs[span] ?? 0) - (table.startUs[span] ?? 0);
    totalUs += took;
    if (took <= longestUs) continue;
    longestUs = took;
    longestToken = table.token[span] ?? range.first;
  }
  const known = timed && end > first;
  return {
    part,
    count: end - first,
    totalUs: known ? totalUs : null,
    longestUs: known ? longestUs : null,
    longestToken,
  };
}
