/** How long the page's own thread is busy, as the browser itself reports. */
import type { Page } from "playwright-core";

/** Call before the page opens. */
export async function watchTasks(page: Page): Promise<void> {
  // tsx names functions by a helper of its own, which is not in the page.
  await page.addInitScript("globalThis.__name = (named) => named");
  await page.addInitScript(() => {
    const tasks: number[] = [];
    const keys: number[] = [];
    Object.assign(globalThis, { tasks, keys });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) tasks.push(duration);
    }).observe({ entryTypes: ["longtask"] });
    new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries()) if (name === "keydown") keys.push(duration);
    }).observe({ type: "event", durationThreshold: 16 } as PerformanceObserverInit);
  });
}

/** The longest task since the last call, in milliseconds; 0 if none took 50. */
export const longestTask = (page: Page): Promise<number> =>
  page.evaluate(() => Math.max(0, ...(globalThis as unknown as { tasks: number[] }).tasks.splice(0)));

/** The longest time from a pressed key to the frame that shows it, since the last call, in steps of 8 ms; 0 if none took 16. */
export const slowestKey = (page: Page): Promise<number> =>
  page.evaluate(() => Math.max(0, ...(globalThis as unknown as { keys: number[] }).keys.splice(0)));
