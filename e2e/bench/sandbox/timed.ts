import { median } from "../statistics.ts";

/** Calls in one measurement: the clock of a page is coarse. */
const perBatch = 10;
const batches = 60;

/** Milliseconds of a call: the median over batches of the mean within a batch. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let batch = -5; batch < batches; batch++) {
    const start = performance.now();
    for (let i = 0; i < perBatch; i++) await work();
    if (batch >= 0) times.push((performance.now() - start) / perBatch);
  }
  return median(times);
}
