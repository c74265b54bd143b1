/** The dev server and the browser of the decode bench. */
import { basename, dirname, resolve } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { createServer, type Plugin } from "vite";
import { chromiumArgs, ensureChromium } from "../../../scripts/browsers.mjs";
import { answerStatic } from "../../../scripts/static-server.ts";

export interface BenchPage {
  readonly page: Page;
  close(): Promise<void>;
}

/** Where the page finds a model folder of this machine. */
export function servedFolder(folder: string): string {
  return `/bench-models/${basename(resolve(folder))}/`;
}

function serveFolder(folder: string): Plugin {
  const files = answerStatic({ models: { "/": dirname(resolve(folder)) } });
  return {
    name: "midtoken-bench-model",
    configureServer: (server) => void server.middlewares.use("/bench-models", files),
  };
}

export async function launchChromium(args: readonly string[] = chromiumArgs): Promise<Browser> {
  return chromium.launch({ executablePath: await ensureChromium(), args: [...args] });
}

/** A fresh page on the dev server. @param model a model folder to serve besides the bundled and the test models. */
export async function openBenchPage(model: string | null): Promise<BenchPage> {
  const root = resolve(import.meta.dirname, "../../..");
  const server = await createServer({
    configFile: `${root}/e2e/vite.config.ts`,
    cacheDir: `${root}/node_modules/.vite-bench`,
    logLevel: "error",
    plugins: model ? [serveFolder(model)] : [],
    server: { host: "127.0.0.1", port: 0, strictPort: false },
  });
  await server.listen();
  const browser = await launchChromium();
  const page = await browser.newPage();
  page.on("pageerror", (error) => console.error(`The bench's page failed: ${error.message}`));
  await page.goto(new URL("e2e/bench/decode/index.html", server.resolvedUrls?.local[0]).href);
  await page.waitForFunction(() => "decodeBench" in window);
  return {
    page,
    async close() {
      await browser.close();
      await server.close();
    },
  };
}
