/** The built page as a visitor who was here before sees it: from opening it to the first token after Run. */
import type { AddressInfo } from "node:net";
import type { BrowserContext, Page } from "playwright-core";
import { buildPageIfStale } from "../../../scripts/build-page.ts";
import { chromiumArgsWithoutWebGpu } from "../../../scripts/chromium-switches.ts";
import { createStaticServer } from "../../../scripts/static-server.ts";
import { type BenchRow, calibrate, figure, timeAtMost } from "../machine.ts";
import { median } from "../statistics.ts";
import { launchChromium } from "./browser.ts";

interface Visit {
  /** Milliseconds since the navigation began. */
  readonly runMs: number;
  readonly firstTokenMs: number;
  /** The page's description of the device. */
  readonly where: string;
}

declare global {
  interface Window {
    visit?: { runMs?: number; clearedMs?: number; firstTokenMs?: number };
  }
}

const warmVisits = 7;

/** Chromium is started without software WebGPU, so that the page takes WebAssembly. */
export async function firstToken(): Promise<BenchRow[]> {
  const folder = await buildPageIfStale(() => console.error("Building the page …"));
  const server = createStaticServer({ pages: { "/": folder } }).listen(0, "127.0.0.1");
  const browser = await launchChromium(chromiumArgsWithoutWebGpu());
  try {
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const context = await browser.newContext();
    await context.addInitScript(noteTimes);
    const cold = await visit(context, address);
    const warm: Visit[] = [];
    const calibrations: number[] = [];
    for (let i = 0; i < warmVisits; i++) {
      calibrations.push(calibrate());
      warm.push(await visit(context, address));
    }
    const times = warm.map(({ firstTokenMs }) => firstTokenMs);
    const afterRun = warm.map(({ firstTokenMs, runMs }) => firstTokenMs - runMs);
    return [
      figure("first visit: page opened to first token, Run pressed at once", cold.firstTokenMs, "ms"),
      figure("warm visits: Run pressed to first token (median)", median(afterRun), "ms"),
      await timeAtMost(
        "warm visits: page opened to first token (median)",
        median(times),
        "ms",
        3000,
        calibrations,
      ),
    ];
  } finally {
    await browser.close();
    server.close();
  }
}

/**
 * Runs in the page: when Run is pressed, and when the first word stands in the ribbon after it. A visitor who was here
 * before finds the last run there: it goes first.
 */
function noteTimes(): void {
  const visit: NonNullable<Window["visit"]> = {};
  window.visit = visit;
  document.addEventListener(
    "click",
    ({ target }) => {
      if ((target as Element).closest(".run-controls")) visit.runMs ??= performance.now();
    },
    { capture: true },
  );
  new MutationObserver(() => {
    if (visit.runMs === undefined) return;
    const hasWords = document.querySelector('[role="option"][data-index="0"]') !== null;
    if (!hasWords) visit.clearedMs ??= performance.now();
    else if (visit.clearedMs !== undefined) visit.firstTokenMs ??= performance.now();
  }).observe(document, { subtree: true, childList: true });
}

/** A new tab: Run as soon as it can be pressed, then the whole answer. */
async function visit(context: BrowserContext, address: string): Promise<Visit> {
  const page: Page = await context.newPage();
  await page.goto(address, { waitUntil: "commit" });
  await page.locator(".run-controls").getByRole("button", { name: "Run" }).click();
  await firstWord(page);
  await page.locator(".run-line p").first().getByText("Ended").waitFor({ timeout: 120_000 });
  const times = await page.evaluate(() => window.visit);
  const where = (await page.locator(".model-where").textContent()) ?? "";
  await page.close();
  if (!/WebAssembly/.test(where)) throw new Error(`The page chose another device than WebAssembly: ${where}`);
  const { runMs, firstTokenMs } = times ?? {};
  if (runMs === undefined || firstTokenMs === undefined)
    throw new Error(`The page was not seen to run: ${JSON.stringify(times)}.`);
  return { runMs, firstTokenMs, where };
}

/** @throws Error with what the page shows instead. */
async function firstWord(page: Page): Promise<void> {
  try {
    await page.waitForFunction(() => window.visit?.firstTokenMs !== undefined, null, { timeout: 60_000 });
  } catch (cause) {
    const shown = (await page.locator("body").innerText()).slice(0, 1000);
    throw new Error(`No token came after Run was pressed. The page shows: ${shown}`, { cause });
  }
}
