/** When a trace that is still being read is drawn again. */
import type { TraceModel } from "../model/trace-model.ts";

/**
 * Decides when a growing run is drawn again: each time it has grown by a quarter, and not many times a second, since drawing goes
 * through all records. `now`: milliseconds, of any clock that only goes forward.
 */
export function createRedrawThrottle(): (trace: Pick<TraceModel, "records">, now: number) => boolean {
  let records = 0;
  let last = Number.NEGATIVE_INFINITY;
  return (trace, now) => {
    if (trace.records.length < records * 1.25 || now - last < 250) return false;
    records = trace.records.length;
    last = now;
    return true;
  };
}
