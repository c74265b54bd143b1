/** Two tabs that want the same model at once, each with a worker of its own: one downloads for both. */
import type { Page } from "playwright-core";
import { defaultBlockBytes } from "../../../src/runtime/engine/storage/file-record.ts";
import { atLeast, atMost, type BenchRow, exactly } from "../machine.ts";
import { onStore, type StoreHub, weights } from "./store-hub.ts";
import type { Opened } from "./store-worker.ts";
import { untilKept } from "./until-kept.ts";

const size = 96_000_000;
/** Where the server stalls until the tab that downloads is closed. */
const stalledAt = 60_000_000;

export async function twoTabRows(): Promise<BenchRow[]> {
  const { shared, left } = await onStore(size, async (given) => ({
    shared: await downloadInBoth(given),
    left: await closeTheFirst(given),
  }));
  const [start = 0] = left.starts.slice(1);
  return [
    exactly("two tabs load the same 96 MB: requests for them", shared.starts.length, "", 1),
    exactly("both have the right hash", shared.right, "of 2", 2),
    atLeast("reports of progress to the tab that waits", shared.reports, "", 20),
    exactly("the tab that downloads is closed: the other has the right hash", left.right, "of 1", 1),
    atMost("bytes that came twice then, over a block", (stalledAt - start) / defaultBlockBytes, "×", 1),
  ];
}

interface Outcome {
  /** First byte of each request for the weights. */
  readonly starts: readonly number[];
  readonly right: number;
  /** To the tab that heard the fewest. */
  readonly reports: number;
}

const open = (page: Page, url: string): Promise<Opened> =>
  page.evaluate((command) => window.storeBench.open(command), { url, file: weights });

async function secondTab({ page }: StoreHub): Promise<Page> {
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.waitForFunction(() => "storeBench" in window);
  return other;
}

function countStarts(given: StoreHub): number[] {
  const starts: number[] = [];
  given.onRequest = (file, firstByte) => {
    if (file === weights) starts.push(firstByte);
  };
  return starts;
}

async function downloadInBoth(given: StoreHub): Promise<Outcome> {
  const starts = countStarts(given);
  const other = await secondTab(given);
  const opened = await Promise.all([open(given.page, given.url), open(other, given.url)]);
  await other.close();
  await given.page.evaluate((url) => window.storeBench.remove(url), given.url);
  return {
    starts,
    right: opened.filter(({ sha256 }) => sha256 === given.sha256).length,
    reports: Math.min(...opened.map(({ reports }) => reports)),
  };
}

async function closeTheFirst(given: StoreHub): Promise<Outcome> {
  const starts = countStarts(given);
  given.faults.set(weights, { kind: "stall", bytes: stalledAt, times: 1 });
  const other = await secondTab(given);
  // Closing the tab ends its answer.
  open(other, given.url).catch(() => undefined);
  await untilKept(given, Math.floor(stalledAt / defaultBlockBytes) * defaultBlockBytes);
  const opening = open(given.page, given.url);
  await other.close();
  const { sha256, reports } = await opening;
  return { starts, right: Number(sha256 === given.sha256), reports };
}
