/** The tasks of the page's own thread, from Chromium's trace. Unlike `longtask` entries, tasks in a trace have their processor time. */
import type { Browser, Page } from "playwright-core";

/** One event of Chromium's trace, in microseconds. `tdur` is processor time, `dur` is wall time. */
interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly tdur?: number;
}

/** A task of the page's thread, in milliseconds. */
export interface Task {
  readonly processor: number;
  readonly wall: number;
}

const mark = "midtoken bench";

const isTaskOf = (thread: TraceEvent, { name, ph, pid, tid }: TraceEvent) =>
  ph === "X" && pid === thread.pid && tid === thread.tid && /(^|::)RunTask$/.test(name);

/**
 * The task of the page's thread that takes the most processor time during `work`. Other work on the machine prolongs the wall
 * time of tasks, but hardly the processor time.
 */
export async function traceLongestTask(
  browser: Browser,
  page: Page,
  work: () => Promise<void>,
): Promise<Task> {
  await browser.startTracing(page, { categories: ["devtools.timeline", "toplevel", "blink.user_timing"] });
  await page.evaluate((name) => performance.mark(name), mark);
  await work();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: TraceEvent[];
  };
  const marked = traceEvents.find(({ name }) => name === mark);
  if (!marked) throw new Error("Chromium's trace does not have the mark that names the page's thread.");
  const times = traceEvents
    .filter((event) => isTaskOf(marked, event))
    // The task in which the trace began has no processor time: its wall time is more.
    .map(({ dur = 0, tdur = dur }) => ({ processor: tdur / 1000, wall: dur / 1000 }));
  if (times.length === 0) throw new Error("Chromium's trace does not have the tasks of the page's thread.");
  return times.reduce((most, task) => (task.processor > most.processor ? task : most), {
    processor: 0,
    wall: 0,
  });
}
