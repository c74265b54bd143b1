/** Live runs whose other end is hostile: 20,000 messages of each kind, both ways, and how the attacked page answers keys meanwhile. */

import type { AddressInfo } from "node:net";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { buildPageIfStale } from "../../../scripts/build-page.ts";
import { chromiumArgsWithoutWebGpu } from "../../../scripts/chromium-switches.ts";
import { attachSignalling } from "../../../scripts/signalling.ts";
import { createStaticServer } from "../../../scripts/static-server.ts";
import { createTraceBuilder, requestRecord } from "../../../src/core/trace/testing/trace-builder.ts";
import { createSharerKey } from "../../../src/page/live/proof.ts";
import { helloMessage, serializeMessage } from "../../../src/page/live/protocol.ts";
import { beginAsLaterVisit } from "../../later-visit.ts";
import { floodOffers, type HostileKind, hostileSharer, hostileWatcher } from "../../page/hostile-live.ts";
import { launchChromium } from "../decode/browser.ts";
import { atMost, type BenchRow, figure } from "../machine.ts";

const flood = 20_000;

interface Attacked {
  longestKeyMs: number;
  memoryMb: number;
  /** Work of the page's own thread meanwhile: scripts, styles, layout, paint. */
  taskMs: number;
}

const megabyte = 1_048_576;

/** Presses keys on the page until the attack is over: the longest until the page had drawn it, and how much its memory grew. */
async function during(page: Page, attack: () => Promise<unknown>): Promise<Attacked> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const metric = async (wanted: string) => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
  };
  const heapBytes = () => metric("JSHeapUsedSize");
  await page.evaluate(() => {
    const keys: number[] = [];
    addEventListener("keydown", ({ timeStamp }) =>
      requestAnimationFrame(() => setTimeout(() => keys.push(performance.now() - timeStamp))),
    );
    Object.assign(globalThis, { keys });
  });
  await session.send("HeapProfiler.collectGarbage");
  const before = await heapBytes();
  const taskBefore = await metric("TaskDuration");
  let most = before;
  let isOver = false;
  const attacking = attack().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await page.keyboard.press("Shift");
    most = Math.max(most, await heapBytes());
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await attacking;
  const taskMs = 1000 * ((await metric("TaskDuration")) - taskBefore);
  await page.keyboard.press("Shift");
  await page.waitForTimeout(200);
  const longestKeyMs = await page.evaluate(() =>
    Math.max(...(globalThis as unknown as { keys: number[] }).keys),
  );
  return { longestKeyMs, memoryMb: (most - before) / megabyte, taskMs };
}

async function attackedWatcher(context: BrowserContext, address: string, message: string): Promise<Attacked> {
  const key = createSharerKey();
  const hostile = await hostileSharer(context, key.room, key);
  const watcher = await context.newPage();
  await watcher.goto(`${address}#w1.${key.room}z`);
  const { records } = createTraceBuilder(requestRecord());
  await hostile.say({ type: "run" }, { type: "records", records });
  await watcher.locator(".link-banner").waitFor();
  await watcher.bringToFront();
  const attacked = await during(watcher, async () => {
    await hostile.flood(message, flood);
    await watcher.getByText(/No longer live|cannot be watched/).waitFor();
  });
  await watcher.close();
  await hostile.close();
  return attacked;
}

/** tsx names functions by a helper of its own, which is not in a page. */
async function newContext(browser: Browser, baseURL: string): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL });
  await beginAsLaterVisit(context);
  await context.addInitScript("globalThis.__name = (named) => named");
  return context;
}

async function shared(page: Page, address: string): Promise<string> {
  await page.goto(address);
  // The editor starts in long tasks, which are not part of a flood.
  await page.locator(".monaco-editor .view-line").first().waitFor();
  await page.getByRole("button", { name: "Share this run" }).click();
  await page.getByRole("tab", { name: "Live" }).click();
  await page.getByRole("button", { name: "Share live" }).click();
  await page.locator(".live-reach", { hasText: "other machines" }).waitFor();
  const link = (await page.locator("[data-address]").getAttribute("data-address")) ?? "";
  return /#w1\.(\w+)z$/.exec(link)?.[1] ?? "";
}

const kinds: readonly HostileKind[] = [
  "frames before the greeting",
  "frames after it",
  "texts",
  "channels",
  "parts that never end",
];

async function attackedSharer(browser: Browser, address: string): Promise<[string, Attacked][]> {
  const sharer = await (await newContext(browser, address)).newPage();
  const room = await shared(sharer, address);
  const elsewhere = await newContext(browser, address);
  const rows: [string, Attacked][] = [];
  const measure = async (name: string, attack: (page: Page) => Promise<unknown>) => {
    const attacker = await elsewhere.newPage();
    await sharer.bringToFront();
    rows.push([name, await during(sharer, () => attack(attacker))]);
    await attacker.close();
  };
  await measure("nothing, for 2 s", () => new Promise((resolve) => setTimeout(resolve, 2_000)));
  for (const kind of kinds) await measure(`20,000 ${kind}`, (page) => hostileWatcher(page, room, kind));
  await measure("600 offers", (page) => floodOffers(page, room, 600));
  return rows;
}

export async function liveRows(): Promise<BenchRow[]> {
  const folder = await buildPageIfStale(() => console.error("Building the page …"));
  const server = createStaticServer({
    pages: { "/": folder },
    json: { "/live.json": async () => ({ signalling: "live" }) },
  });
  attachSignalling(server, { path: "/live" });
  server.listen(0, "127.0.0.1");
  const browser = await launchChromium(chromiumArgsWithoutWebGpu());
  try {
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const { records } = createTraceBuilder(requestRecord());
    const messages: Readonly<Record<string, string>> = {
      hello: serializeMessage(helloMessage(createSharerKey().prove({ binding: "", nonce: "" }))),
      run: serializeMessage({ type: "run" }),
      records: serializeMessage({ type: "records", records }),
      paused: serializeMessage({ type: "paused", isPaused: true }),
      ended: serializeMessage({ type: "ended", failure: null }),
      over: serializeMessage({ type: "over", why: "full" }),
    };
    const rows: BenchRow[] = [];
    const add = (name: string, { longestKeyMs, memoryMb, taskMs }: Attacked) => {
      rows.push(
        atMost(
          `${name}: a key pressed meanwhile, until the page has drawn (longest)`,
          longestKeyMs,
          "ms",
          200,
        ),
        atMost(`${name}: growth of the page's memory (most)`, memoryMb, "MB", 50),
        figure(`${name}: what the page's own thread worked meanwhile`, taskMs, "ms"),
      );
    };
    const context = await newContext(browser, address);
    for (const [type, message] of Object.entries(messages))
      add(`a watcher under 20,000 "${type}"`, await attackedWatcher(context, address, message));
    for (const [name, attacked] of await attackedSharer(browser, address))
      add(`a sharer under ${name}`, attacked);
    return rows;
  } finally {
    await browser.close();
    server.closeAllConnections();
    server.close();
  }
}
