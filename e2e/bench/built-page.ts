/** The built page behind a local server, in Chromium, for benches that measure the page. */
import type { AddressInfo } from "node:net";
import { type Browser, chromium } from "playwright-core";
import { ensureChromium } from "../../scripts/browsers.mjs";
import { buildPageIfStale } from "../../scripts/build-page.ts";
import { chromiumArgs } from "../../scripts/chromium-switches.ts";
import { createStaticServer } from "../../scripts/static-server.ts";

/** Builds the page if it is stale, starts server and browser, and closes both after `work`. */
export async function withBuiltPage<Result>(
  work: (browser: Browser, address: string) => Promise<Result>,
): Promise<Result> {
  const folder = await buildPageIfStale(() => console.error("Building the page …"));
  const server = createStaticServer({ pages: { "/": folder } });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const browser = await chromium.launch({ executablePath: await ensureChromium(), args: chromiumArgs() });
  try {
    return await work(browser, `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  } finally {
    await browser.close();
    server.closeAllConnections();
    server.close();
  }
}
