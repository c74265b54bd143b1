/** The dev server and the browser of benches whose page works on a model. */
import { basename, resolve } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { createServer, type Plugin } from "vite";
import { ensureChromium } from "../../../scripts/browsers.mjs";
import { chromiumArgs, type WebGpuDevice } from "../../../scripts/chromium-switches.ts";
import { type AdapterRecord, readAdapter } from "../../../scripts/gpu/adapter-record.ts";
import { createStaticListener } from "../../../scripts/static-server.ts";
import { recordAdapter } from "../machine.ts";
import { stepMark } from "./step-log.ts";

export interface BenchPage {
  readonly page: Page;
  /** The adapter that WebGPU has on this page. */
  readonly adapter: AdapterRecord | null;
  close(): Promise<void>;
}

/** Where the page finds a model folder of this machine. */
export function servedFolder(folder: string): string {
  return `/bench-models/${basename(resolve(folder))}/`;
}

function serveFolder(folder: string): Plugin {
  const files = createStaticListener({ models: { "/": resolve(folder) } });
  return {
    name: `midtoken-bench-model ${folder}`,
    configureServer: (server) => void server.middlewares.use(servedFolder(folder).slice(0, -1), files),
  };
}

function serveFiles(folder: string): Plugin {
  const files = createStaticListener({ pages: { "/": resolve(folder) } });
  return {
    name: "midtoken-bench-files",
    configureServer: (server) => void server.middlewares.use("/bench-files", files),
  };
}

export async function launchChromium(args: readonly string[] = chromiumArgs()): Promise<Browser> {
  return chromium.launch({ executablePath: await ensureChromium(), args: [...args] });
}

/** A page of a bench: where it lies below `e2e/bench`, and the name of a global that it has once it is ready. */
interface PageAddress {
  readonly path: string;
  readonly global: string;
}

const decodePage: PageAddress = { path: "decode/index.html", global: "decodeBench" };

export interface BenchPageOptions {
  /** Model folders to serve besides the bundled and the test models. */
  readonly folders?: readonly string[];
  /** A folder whose files are served as they are, under `/bench-files/`. */
  readonly files?: string;
  readonly at?: PageAddress;
  /** Who computes WebGPU: what MIDTOKEN_DEVICE says unless given. */
  readonly gpu?: WebGpuDevice;
  /** Chromium's switches, beside those of the adapter. */
  readonly args?: readonly string[];
}

/** A fresh page on the dev server. */
export async function openBenchPage({
  folders = [],
  files,
  at = decodePage,
  gpu,
  args = [],
}: BenchPageOptions = {}): Promise<BenchPage> {
  const root = resolve(import.meta.dirname, "../../..");
  const server = await createServer({
    configFile: `${root}/e2e/vite.config.ts`,
    cacheDir: `${root}/node_modules/.vite-bench`,
    logLevel: "error",
    plugins: [...folders.map(serveFolder), ...(files ? [serveFiles(files)] : [])],
    server: { host: "127.0.0.1", port: 0, strictPort: false },
  });
  await server.listen();
  const browser = await launchChromium([...chromiumArgs(gpu), ...args]);
  // A second page is possible only in a context made explicitly.
  const page = await (await browser.newContext()).newPage();
  // The server's first answer may take long, where it has to read the packages anew.
  page.setDefaultTimeout(300_000);
  page.on("pageerror", (error) => console.error(`The bench's page failed: ${error.message}`));
  page.on("crash", () => console.error("The bench's page crashed."));
  page.on("console", (message) => {
    const text = message.text();
    if (text.startsWith(stepMark)) console.error(`  ${text.slice(stepMark.length)}`);
    else if (message.type() === "error") console.error(`  The page says: ${text}`);
  });
  await page.goto(new URL(`e2e/bench/${at.path}`, server.resolvedUrls?.local[0]).href);
  await page.waitForFunction((name) => name in window, at.global);
  const adapter = await readAdapter(page);
  recordAdapter(adapter);
  return {
    page,
    adapter,
    async close() {
      await browser.close();
      await server.close();
    },
  };
}
