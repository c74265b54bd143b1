/** Links and files that are made to do harm, opened one after the other in the built page: what they take of time, nodes and memory. */
import type { CDPSession, Page } from "playwright-core";
import { encodeTraceFile } from "../../../src/core/trace/codec/codec.ts";
import { sampleTrace } from "../../../src/core/trace/testing/sample-trace.ts";
import { beginAsLaterVisit } from "../../later-visit.ts";
import { withBuiltPage } from "../built-page.ts";
import { atMost, type BenchRow, figure, timeAtMost } from "../machine.ts";
import { hostileOnes } from "./generate.ts";

interface Opened {
  readonly name: string;
  /** Until its beginning was drawn, or it was refused. */
  readonly openedMs: number;
  /** Until all of it was read, checked and drawn, or it was refused. */
  readonly ms: number;
  /** Milliseconds of the longest task of the page's thread; 0 if none took 50. */
  readonly longestTaskMs: number;
  readonly nodes: number;
  /** MB of the page's heap and its buffers, after a collection. */
  readonly memory: number;
  readonly isRefused: boolean;
}

/** Rows about `links` links and `files` files, each may be 0; with seeds, about their links in place of the first ones. */
export async function hostileRows(
  links: number,
  files: number,
  seeds: readonly number[],
): Promise<BenchRow[]> {
  return withBuiltPage(async (browser, address) => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    // A busy machine takes long to show the page; the rows measure what comes afterwards.
    page.setDefaultTimeout(300_000);
    await watchLongTasks(page);
    await page.goto(`${address}#t1.`);
    await page.locator(".fault").waitFor();
    const session = await page.context().newCDPSession(page);
    const ofLinks: Opened[] = [];
    for await (const [name, link] of hostileOnes("links", links, seeds)) {
      ofLinks.push(await open(page, session, name, { link }));
      tellProgress("links", ofLinks.length, links);
    }
    const rows = links === 0 ? [] : await rowsOf("hostile links, up to 100,000 characters", ofLinks);
    if (files === 0) return rows;
    await page.goto("about:blank");
    // A first visit has no Share button before its first run.
    await beginAsLaterVisit(page);
    await page.goto(address);
    await page.getByRole("button", { name: "Share this run" }).waitFor();
    await openFirst(page);
    const ofFiles: Opened[] = [];
    for await (const [name, bytes] of hostileOnes("files", files)) {
      ofFiles.push(await openFile(page, session, name, bytes));
      tellProgress("files", ofFiles.length, files);
    }
    return [...rows, ...(await rowsOf("hostile files, up to 64 MB", ofFiles))];
  });
}

function tellProgress(what: string, done: number, all: number): void {
  if (done % 250 === 0) console.error(`${done} of ${all} ${what}, ${new Date().toISOString()}`);
}

async function rowsOf(what: string, all: readonly Opened[]): Promise<BenchRow[]> {
  const most = (of: (opened: Opened) => number) =>
    all.reduce((worst, each) => (of(each) > of(worst) ? each : worst));
  const opened = most(({ openedMs }) => openedMs);
  const slowest = most(({ ms }) => ms);
  const task = most(({ longestTaskMs }) => longestTaskMs);
  const nodes = most((each) => each.nodes);
  const memory = most((each) => each.memory);
  const late = all.filter(({ openedMs }) => openedMs > 1000).length;
  return [
    figure(what, all.length, "opened"),
    figure("  of them refused", all.filter(({ isRefused }) => isRefused).length, "refused"),
    await timeAtMost(`  slowest opened or refused (${opened.name})`, opened.openedMs, "ms", 1000),
    figure("  of them after more than 1 s", late, "opened"),
    figure(`  slowest read to its end, or refused (${slowest.name})`, slowest.ms, "ms"),
    await timeAtMost(`  longest task of the page's thread (${task.name})`, task.longestTaskMs, "ms", 100),
    atMost(`  most nodes in the page (${nodes.name})`, nodes.nodes, "nodes", 5000),
    atMost(`  largest memory of the page (${memory.name})`, memory.memory, "MB", 300),
  ];
}

interface Watching {
  longTasks: number[];
}

async function watchLongTasks(page: Page): Promise<void> {
  // tsx names functions by a helper of its own, which is not in the page.
  await page.addInitScript("globalThis.__name = (named) => named");
  await page.addInitScript(() => {
    const all: number[] = [];
    Object.assign(globalThis, { longTasks: all });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) all.push(duration);
    }).observe({ entryTypes: ["longtask"] });
  });
}

/** An input of the page: the part of an address after its #, or the address of a file to drop on the page. */
type Given = { readonly link: string } | { readonly file: string };

/** Gives it to the page and waits until it is drawn or refused. */
async function open(page: Page, session: CDPSession, name: string, given: Given): Promise<Opened> {
  const drawn = await page.evaluate(async (what) => {
    const { longTasks } = globalThis as unknown as Watching;
    const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
    const notices = () => [...document.querySelectorAll(".notice")].map((each) => each.textContent ?? "");
    for (const dismiss of document.querySelectorAll<HTMLElement>(".notice [aria-label=Dismiss]"))
      dismiss.click();
    await frame();
    const dropped = "file" in what ? await (await fetch(what.file)).blob() : null;
    longTasks.length = 0;
    const start = performance.now();
    if ("link" in what) {
      location.hash = what.link;
      await new Promise((resolve) => addEventListener("hashchange", resolve, { once: true }));
    } else {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([dropped ?? ""], "hostile.trace"));
      dispatchEvent(new DragEvent("drop", { dataTransfer, cancelable: true }));
    }
    await frame();
    const isRefused = () =>
      document.querySelector(".fault[aria-busy=false]") !== null ||
      notices().some((text) => text.includes("was not opened"));
    const isRead = () =>
      document.querySelector(".reading-banner") === null &&
      (document.querySelector(".link-banner") !== null ||
        notices().some((text) => text.includes("The file is open")));
    let openedMs: number | null = null;
    while (!isRefused() && !isRead()) {
      if (performance.now() - start > 600_000) throw new Error("The page did not answer within ten minutes.");
      if (document.querySelector(".reading-banner[data-shown=true]")) openedMs ??= performance.now() - start;
      await frame();
    }
    // The frame in which all of it is drawn.
    await frame();
    const ms = performance.now() - start;
    await frame();
    const walker = document.createTreeWalker(document, NodeFilter.SHOW_ALL);
    let nodes = 0;
    while (walker.nextNode()) nodes += 1;
    const longestTaskMs = Math.max(0, ...longTasks);
    return { openedMs: openedMs ?? ms, ms, nodes, longestTaskMs, isRefused: isRefused() };
  }, given);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize, backingStorageSize = 0 } = await session.send("Runtime.getHeapUsage");
  const opened = { name, ...drawn, memory: (usedSize + backingStorageSize) / 1e6 };
  if (opened.openedMs > 1000 || opened.longestTaskMs > 100) console.error(JSON.stringify(opened));
  return opened;
}

/** A page that shows a run says of each further file that it is open. */
async function openFirst(page: Page): Promise<void> {
  const first = [...encodeTraceFile(sampleTrace({ tokens: 20 }))];
  await page.evaluate((bytes) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([new Uint8Array(bytes)], "first.trace"));
    dispatchEvent(new DragEvent("drop", { dataTransfer, cancelable: true }));
  }, first);
  await page.locator(".recorded-banner").waitFor();
}

/** A file is given to the page as its user would: it is dropped. The page fetches it from where the bench puts it. */
async function openFile(page: Page, session: CDPSession, name: string, bytes: Uint8Array): Promise<Opened> {
  const file = "/hostile.trace";
  await page.route(`**${file}`, (route) => route.fulfill({ body: Buffer.from(bytes) }));
  const opened = await open(page, session, name, { file });
  await page.unroute(`**${file}`);
  return opened;
}
