/** From opening a link to its words on the page: the built page in a fresh browser profile, over HTTP, nothing cached. */
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import { ensureChromium } from "../../../scripts/browsers.mjs";
import { buildPageIfStale } from "../../../scripts/build-page.ts";
import { chromiumArgs } from "../../../scripts/chromium-switches.ts";
import { createStaticServer } from "../../../scripts/static-server.ts";
import { median } from "../statistics.ts";

export interface Drawing {
  /** Milliseconds from navigation to the first frame with the words in it that the window has room for; the median of several. */
  readonly medianMs: number;
  /** Requests for a model's files, the runtime, a worker or the editor, over all visits. */
  readonly needless: number;
  readonly kilobytes: number;
  /** Size of the scripts requested before the words were drawn, as a host sends them (gzip), in kB. */
  readonly scriptKilobytes: number;
}

/** Files that a link does not need. */
const needless = /\/models\/|\.onnx|\.wasm|worker|editor|ort-|(?<!rolldown-)runtime-|playground|gallery/i;
const visits = 7;
/** The page draws at least this many tokens of a longer text: more than the window has room for. */
const firstBlock = 96;
/** Drawing takes 0.5 s on a quiet machine. A busy machine needs far longer, and its row then says so. */
const longestDrawingMs = 300_000;

export async function drawLink(fragment: string, tokenCount: number): Promise<Drawing> {
  const folder = await buildPageIfStale(() => console.error("Building the page …"));
  const requests: string[] = [];
  const server = createStaticServer({ pages: { "/": folder } });
  server.on("request", ({ url }) => requests.push(url ?? ""));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${fragment}`;
  const browser = await chromium.launch({ executablePath: await ensureChromium(), args: chromiumArgs() });
  try {
    const times: number[] = [];
    let bytes = 0;
    let scripts: readonly string[] = [];
    for (let visit = 0; visit < visits; visit += 1) {
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
      await page.goto(address, { waitUntil: "commit" });
      const drawn = await page.waitForFunction(
        (count) =>
          document.querySelectorAll("[data-index]").length >= count &&
          new Promise((resolve) => requestAnimationFrame(() => resolve(performance.now()))),
        Math.min(tokenCount, firstBlock),
        { polling: "raf", timeout: longestDrawingMs },
      );
      const drawnAt = Number(await drawn.jsonValue());
      times.push(drawnAt);
      scripts = await page.evaluate(
        (end) =>
          performance
            .getEntriesByType("resource")
            .filter(({ name, startTime }) => /\.js$/.test(name) && startTime < end)
            .map(({ name }) => new URL(name).pathname),
        drawnAt,
      );
      bytes = await page.evaluate(() =>
        [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
          .map((entry) => (entry as PerformanceResourceTiming).encodedBodySize)
          .reduce((sum, size) => sum + size, 0),
      );
      await page.close();
    }
    const found = requests.filter((url) => needless.test(url));
    const weights = scripts.map((path) => gzipSync(readFileSync(join(folder, path)), { level: 9 }).length);
    const scriptKilobytes = weights.reduce((sum, weight) => sum + weight, 0) / 1000;
    return { medianMs: median(times), needless: found.length, kilobytes: bytes / 1000, scriptKilobytes };
  } finally {
    await browser.close();
    server.closeAllConnections();
    server.close();
  }
}
