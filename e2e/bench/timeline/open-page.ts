/** The page of the benches of the read pane (`tracks-page.tsx`), and what its own thread takes. */
import { resolve } from "node:path";
import type { Browser, CDPSession, Page } from "playwright-core";
import { createServer } from "vite";
import { launchChromium } from "../decode/browser.ts";

/** `query`: see tracks-page.tsx. */
export type Open = (query?: string) => Promise<Page>;

export async function withBenchPage<Result>(
  work: (open: Open, browser: Browser) => Promise<Result>,
): Promise<Result> {
  const root = resolve(import.meta.dirname, "../../..");
  // React is measured as visitors have it, not as its developers do.
  process.env.NODE_ENV = "production";
  const server = await createServer({
    configFile: `${root}/e2e/vite.config.ts`,
    cacheDir: `${root}/node_modules/.vite-bench-production`,
    mode: "production",
    logLevel: "error",
    server: { host: "127.0.0.1", port: 0 },
  });
  await server.listen();
  const browser = await launchChromium();
  const address = new URL("e2e/bench/timeline/tracks.html", server.resolvedUrls?.local[0]).href;
  const open: Open = async (query = "") => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.on("pageerror", (error) => console.error(`The bench's page failed: ${error.message}`));
    await page.goto(address + query);
    await page.waitForFunction(() => "tracksBench" in globalThis);
    return page;
  };
  try {
    return await work(open, browser);
  } finally {
    await browser.close();
    await server.close();
  }
}

export interface Thread {
  /** Milliseconds that the page's thread has worked since it began: scripts, styles, layout, paint. */
  taskMs(): Promise<number>;
}

export async function mainThread(page: Page): Promise<Thread> {
  const session: CDPSession = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  return {
    async taskMs() {
      const { metrics } = await session.send("Performance.getMetrics");
      return 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN);
    },
  };
}
