/** The dev server and the browser of benches whose page works on a model. */
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

/** A page of a bench: where it lies below `e2e/bench`, and the name of a global that it has once it is ready. */
interface PageAddress {
  readonly path: string;
  readonly global: string;
}

const decodePage: PageAddress = { path: "decode/index.html", global: "decodeBench" };

/** A fresh page on the dev server. @param model a model folder to serve besides the bundled and the test models. */
export async function openBenchPage(
  model: string | null,
  { path, global }: PageAddress = decodePage,
): Promise<BenchPage> {
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
  // A busy machine may take long to make the page.
  await page.goto(new URL(`e2e/bench/${path}`, server.resolvedUrls?.local[0]).href, { timeout: 180_000 });
  await page.waitForFunction((name) => name in window, global, { timeout: 180_000 });
  return {
    page,
    async close() {
      await browser.close();
      await server.close();
    },
  };
}
