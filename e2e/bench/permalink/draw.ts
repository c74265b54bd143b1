/** From opening a link to its words on the page: the built page in a fresh browser profile, over HTTP, nothing cached. */
import type { AddressInfo } from "node:net";
import { chromium } from "playwright-core";
import { chromiumArgs, ensureChromium } from "../../../scripts/browsers.mjs";
import { buildPageIfStale } from "../../../scripts/build-page.ts";
import { createStaticServer } from "../../../scripts/static-server.ts";
import { median } from "../statistics.ts";

export interface Drawing {
  /** Milliseconds from navigation to the first frame with every token in it; the median of several. */
  readonly medianMs: number;
  /** Requests for a model's files, the runtime, a worker or the editor, over all visits. */
  readonly needless: number;
  readonly kilobytes: number;
}

/** What a link has no use for. */
const needless = /\/models\/|\.onnx|\.wasm|worker|editor|ort-|runtime-/i;
const visits = 7;

export async function drawLink(fragment: string, tokenCount: number): Promise<Drawing> {
  const folder = await buildPageIfStale(() => console.error("Building the page …"));
  const requests: string[] = [];
  const server = createStaticServer({ pages: { "/": folder } });
  server.on("request", ({ url }) => requests.push(url ?? ""));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${fragment}`;
  const browser = await chromium.launch({ executablePath: await ensureChromium(), args: chromiumArgs });
  try {
    const times: number[] = [];
    let bytes = 0;
    for (let visit = 0; visit < visits; visit += 1) {
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
      await page.goto(address, { waitUntil: "commit" });
      const drawn = await page.waitForFunction(
        (count) =>
          document.querySelectorAll("[data-index]").length >= count &&
          new Promise((resolve) => requestAnimationFrame(() => resolve(performance.now()))),
        tokenCount,
        { polling: "raf" },
      );
      times.push(Number(await drawn.jsonValue()));
      bytes = await page.evaluate(() =>
        [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
          .map((entry) => (entry as PerformanceResourceTiming).encodedBodySize)
          .reduce((sum, size) => sum + size, 0),
      );
      await page.close();
    }
    const found = requests.filter((url) => needless.test(url));
    return { medianMs: median(times), needless: found.length, kilobytes: bytes / 1000 };
  } finally {
    await browser.close();
    server.closeAllConnections();
    server.close();
  }
}
