/** The list of events with 200,000 rows: opened, scrolled and filtered. */
import type { Page } from "playwright-core";
import { atMost, type BenchRow, calibrate, figure, timeAtMost } from "../machine.ts";
import { median, quantile } from "../statistics.ts";
import { mainThread, withBenchPage } from "./open-page.ts";

const rowCount = 200_000;
/** Tokens of the run from which it is worked out how many tokens have at least so many rows. */
const sampled = 2_000;
const openings = 5;
const frameCount = 240;
/** Px at each frame: three rows. */
const scrollPx = 84;

/** A word of the language, two of them, and an expression, which is asked of every row. */
const filters = ["kind:forced", "p<0.1 -kind:forced", "/[Ll]ily/"];

export function eventRows(): Promise<BenchRow[]> {
  return withBenchPage(async (open) => {
    const page = await open();
    await page.evaluate((count) => tracksBench.show(count), sampled);
    await page.evaluate(() => tracksBench.open("events"));
    const perToken = (await page.evaluate(() => tracksBench.eventRows())) / sampled;
    await page.evaluate((count) => tracksBench.show(count), Math.ceil((1.01 * rowCount) / perToken));
    return [
      ...(await openingRows(page)),
      ...(await scrollingRows(page)),
      ...(await filteringRows(page)),
      atMost("  nodes of the read pane", await page.evaluate(() => tracksBench.nodes()), "nodes", 1_500),
    ];
  });
}

async function openingRows(page: Page): Promise<BenchRow[]> {
  const times: number[] = [];
  const calibrations: number[] = [];
  for (let opening = 0; opening < openings; opening += 1) {
    await page.evaluate(() => tracksBench.open("step"));
    calibrations.push(calibrate());
    times.push(await page.evaluate(() => tracksBench.open("events")));
  }
  const rows = await page.evaluate(() => tracksBench.eventRows());
  if (rows < rowCount) throw new Error(`The list has ${rows} rows, and is to have ${rowCount}.`);
  return [
    await timeAtMost(
      "200,000 rows: event list opened to first paint",
      median(times),
      "ms",
      100,
      calibrations,
    ),
  ];
}

async function scrollingRows(page: Page): Promise<BenchRow[]> {
  const thread = await mainThread(page);
  const calibration = [calibrate()];
  const before = await thread.taskMs();
  const times = await page.evaluate(([px, count]) => tracksBench.scroll("events", px, count), [
    scrollPx,
    frameCount,
  ] as const);
  const busy = (await thread.taskMs()) - before;
  const what = `  scrolled by ${scrollPx} px a frame: a frame, 95th percentile`;
  return [
    await timeAtMost(what, quantile(times, 0.95), "ms", 20, calibration),
    figure("    of it on the page's thread, mean", busy / frameCount, "ms"),
  ];
}

async function filteringRows(page: Page): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const text of filters) {
    // Once before, so that its code is there.
    await page.evaluate((filter) => tracksBench.filter(filter), text);
    const { ms, longestFrame, found } = await page.evaluate((filter) => tracksBench.filter(filter), text);
    rows.push(
      figure(
        `  filtered by ${text}, which finds ${found.toLocaleString("en-US")}: to all that it finds`,
        ms,
        "ms",
      ),
      figure("    longest time between two frames until then", longestFrame, "ms"),
    );
  }
  return rows;
}
