/** The read pane with its tracks: first paint, frames while one zooms and pans, nodes, and what a token costs while it streams. */
import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { atLeast, atMost, type BenchRow, calibrate, figure, timeAtMost } from "../machine.ts";
import { median, quantile } from "../statistics.ts";
import { mainThread, type Open, withBenchPage } from "./open-page.ts";
import type { PanelName } from "./tracks-page.tsx";

const tokens = 10_000;
const frameCount = 240;
const streamed = 600;
/** 200 tokens per second. */
const everyMs = 5;
const visits = 5;

export async function trackRows(): Promise<BenchRow[]> {
  return withBenchPage(async (open, browser) => [
    ...(await drawingRows(open)),
    ...(await longRows(open, browser)),
    ...(await streamRows(open)),
  ]);
}

async function drawingRows(open: Open): Promise<BenchRow[]> {
  const firsts: number[] = [];
  const calibrations: number[] = [];
  let page = await open();
  for (let visit = 0; visit < visits; visit += 1) {
    await page.close();
    calibrations.push(calibrate());
    page = await open();
    await page.evaluate((count) => tracksBench.show(count), tokens);
    // Once before, so that its code is there.
    await page.evaluate(() => tracksBench.open("tracks"));
    await page.evaluate(() => tracksBench.open("step"));
    firsts.push(await page.evaluate(() => tracksBench.open("tracks")));
  }
  const rows = [
    await timeAtMost("10,000 tokens: tracks opened to first paint", median(firsts), "ms", 100, calibrations),
    atMost("  nodes of the read pane", await page.evaluate(() => tracksBench.nodes()), "nodes", 1_500),
  ];
  for (const axis of ["tokens", "time"] as const) {
    const thread = await mainThread(page);
    const calibration = [calibrate()];
    const before = await thread.taskMs();
    const times = await page.evaluate(([name, count]) => tracksBench.frames(name, count), [
      axis,
      frameCount,
    ] as const);
    const busy = (await thread.taskMs()) - before;
    rows.push(
      await timeAtMost(
        `  a frame while zooming and panning by ${axis === "time" ? "time" : "token"}, 95th percentile`,
        quantile(times, 0.95),
        "ms",
        20,
        calibration,
      ),
      figure("    of it on the page's thread, mean", busy / frameCount, "ms"),
    );
  }
  rows.push(...(await scrollRows(page, "  ")));
  await page.close();
  return rows;
}

/** Px at each frame: a page of text is gone through in some ten frames. */
const scrollPx = 40;

async function scrollRows(page: Page, indent: string): Promise<BenchRow[]> {
  const thread = await mainThread(page);
  const calibration = [calibrate()];
  const before = await thread.taskMs();
  const times = await page.evaluate(([px, count]) => tracksBench.scroll("text", px, count), [
    scrollPx,
    frameCount,
  ] as const);
  const busy = (await thread.taskMs()) - before;
  const p95 = quantile(times, 0.95);
  const perSecond = (1000 * times.length) / times.reduce((sum, time) => sum + time, 0);
  const what = `${indent}the text scrolled by ${scrollPx} px a frame, tracks open`;
  return [
    await timeAtMost(`${what}: a frame, 95th percentile`, p95, "ms", 20, calibration),
    atLeast(`${indent}  frames`, perSecond, "/s", 50),
    figure(`${indent}  of a frame on the page's thread, mean`, busy / frameCount, "ms"),
  ];
}

const longCount = 100_000;

/** A run of 100,000 tokens, each with ten alternatives, as it comes out of a file. */
async function longRows(open: Open, browser: Browser): Promise<BenchRow[]> {
  const page = await open();
  const empty = await memoryOf(browser, page);
  await page.evaluate((count) => tracksBench.show(count), longCount);
  await page.evaluate(() => tracksBench.open("tracks"));
  const [whole, nodes] = [await memoryOf(browser, page), await page.evaluate(() => tracksBench.nodes())];
  const rows = [
    atMost("100,000 tokens: memory above an empty page", whole.allMB - empty.allMB, "MB", 200),
    figure("  of it the heap of scripts", whole.heapMB - empty.heapMB, "MB"),
    atMost("  nodes of the read pane", nodes, "nodes", 1_500),
    ...(await scrollRows(page, "  ")),
  ];
  await page.close();
  return rows;
}

interface Memory {
  readonly heapMB: number;
  /** Private memory of the pages' processes. */
  readonly allMB: number;
}

async function memoryOf(browser: Browser, page: Page): Promise<Memory> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  const { processInfo } = await (await browser.newBrowserCDPSession()).send("SystemInfo.getProcessInfo");
  const own = processInfo
    .filter(({ type }) => type === "renderer")
    .map(
      ({ id }) => /^Private_Dirty:\s+(\d+) kB/m.exec(readFileSync(`/proc/${id}/smaps_rollup`, "utf8"))?.[1],
    );
  return { heapMB: usedSize / 1e6, allMB: own.reduce((sum, kB) => sum + Number(kB) / 1000, 0) };
}

async function streamRows(open: Open): Promise<BenchRow[]> {
  const alone = await open("?alone");
  const appendUs = await alone.evaluate((count) => {
    tracksBench.appendUs(count);
    return tracksBench.appendUs(count);
  }, tokens);
  const rows = [figure("a token's records into the model, spans included", appendUs, "µs")];
  const add = async (page: Page, panel: PanelName, where: string, limit: number | null) => {
    for (const before of [0, tokens]) {
      const calibrations = [calibrate()];
      const perToken = await streamCost(page, panel, before);
      calibrations.push(calibrate());
      const what = `a streamed token, ${before === 0 ? "from the first" : "after 10,000"}, ${where}`;
      rows.push(
        limit === null
          ? figure(what, perToken, "ms")
          : await timeAtMost(what, perToken, "ms", limit, calibrations),
      );
    }
  };
  await add(alone, "tracks", "overview and tracks alone", 1);
  await alone.close();
  const page = await open();
  await add(page, "tracks", "the read pane with its tracks", 1);
  await add(page, "step", "the read pane with the step inspector", null);
  await page.close();
  return rows;
}

/** Milliseconds of the page's own thread for each token, at 200 tokens per second. */
async function streamCost(page: Page, panel: PanelName, before: number): Promise<number> {
  await page.evaluate((count) => tracksBench.show(count), 100);
  await page.evaluate((name) => tracksBench.open(name), panel);
  const thread = await mainThread(page);
  const streaming = page.evaluate(([first, count, every]) => tracksBench.stream(first, count, every), [
    before,
    streamed,
    everyMs,
  ] as const);
  await page.waitForFunction(() => performance.getEntriesByName("stream").length > 0);
  const start = await thread.taskMs();
  await streaming;
  const taken = (await thread.taskMs()) - start;
  await page.evaluate(() => performance.clearMarks("stream"));
  if ((await page.evaluate(() => tracksBench.toEnd())) > 60)
    throw new Error("The text was not followed to its end.");
  return taken / streamed;
}
