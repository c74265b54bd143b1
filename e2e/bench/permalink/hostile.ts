/** Links that are made to do harm, opened one after the other in the built page: the slowest, the most nodes, the largest heap. */
import type { AddressInfo } from "node:net";
import { chromium, type Page } from "playwright-core";
import { chromiumArgs, ensureChromium } from "../../../scripts/browsers.mjs";
import { buildPageIfStale } from "../../../scripts/build-page.ts";
import { createStaticServer } from "../../../scripts/static-server.ts";
import { attacks, hostileLink, hostileTrace } from "../../../src/trace/testing/hostile-traces.ts";
import { atMost, type BenchRow, figure, timeAtMost } from "../machine.ts";

/** The longest links that are opened here, in characters. */
const longest = 100_000;

interface Opened {
  readonly ms: number;
  readonly nodes: number;
  /** MB of the page's heap, after a collection. */
  readonly heap: number;
  readonly isRefused: boolean;
}

/** The links of the review, then generated ones by seed, those that are too long left out. */
function* hostileLinks(count: number): Generator<string> {
  for (const make of Object.values(attacks)) yield hostileLink(make());
  for (let seed = 1, made = Object.keys(attacks).length; made < count; seed += 1) {
    const link = linkOfSeed(seed);
    if (link === null || link.length > longest) continue;
    made += 1;
    yield link;
  }
}

/** Null for a trace whose texts together are longer than any string can be: it has no link. */
function linkOfSeed(seed: number): string | null {
  try {
    return hostileLink(hostileTrace(seed));
  } catch (cause) {
    if (cause instanceof RangeError) return null;
    throw cause;
  }
}

/** Rows about `count` links. */
export async function hostileRows(count: number): Promise<BenchRow[]> {
  const folder = await buildPageIfStale(() => console.error("Building the page …"));
  const server = createStaticServer({ pages: { "/": folder } });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const browser = await chromium.launch({ executablePath: await ensureChromium(), args: chromiumArgs });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/#t1.`);
    await page.locator(".fault").waitFor();
    const all: Opened[] = [];
    for (const link of hostileLinks(count)) all.push(await open(page, link));
    const most = (of: (opened: Opened) => number) => Math.max(...all.map(of));
    return [
      figure("hostile links, up to 100,000 characters", all.length, "links"),
      figure("  of them refused", all.filter(({ isRefused }) => isRefused).length, "links"),
      await timeAtMost(
        "  slowest opened or refused, and drawn",
        most(({ ms }) => ms),
        "ms",
        1000,
      ),
      atMost(
        "  most nodes in the page",
        most(({ nodes }) => nodes),
        "nodes",
        5000,
      ),
      atMost(
        "  largest heap",
        most(({ heap }) => heap),
        "MB",
        300,
      ),
    ];
  } finally {
    await browser.close();
    server.closeAllConnections();
    server.close();
  }
}

async function open(page: Page, link: string): Promise<Opened> {
  const drawn = await page.evaluate(async (hash) => {
    const start = performance.now();
    location.hash = hash;
    // The view follows the address in a later task; the second frame is that in which all of it is drawn.
    await new Promise((resolve) => addEventListener("hashchange", resolve, { once: true }));
    for (let frame = 0; frame < 2; frame += 1) {
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
    }
    const ms = performance.now() - start;
    const walker = document.createTreeWalker(document, NodeFilter.SHOW_ALL);
    let nodes = 0;
    while (walker.nextNode()) nodes += 1;
    return { ms, nodes, isRefused: document.querySelector(".fault") !== null };
  }, link);
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return { ...drawn, heap: usedSize / 1e6 };
}
