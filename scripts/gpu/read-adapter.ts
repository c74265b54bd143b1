/** Starts Chromium with given switches and reads its WebGPU adapter. */
import { chromium, type Page } from "playwright-core";
import { ensureChromium } from "../browsers.mjs";
import { type AdapterRecord, readAdapter } from "./adapter-record.ts";

/** WebGPU needs a secure address; requests to this one are answered without a server. */
const address = "http://127.0.0.1/";

export interface EmptyPageOptions {
  /** Milliseconds until the browser must have started; Playwright's default if absent. */
  readonly timeout?: number;
  /** The browser; that of `ensureChromium` if absent. */
  readonly executablePath?: string;
}

/** Runs `work` on an empty page that may use WebGPU. */
export async function runOnEmptyPage<T>(
  args: readonly string[],
  work: (page: Page) => Promise<T>,
  options: EmptyPageOptions = {},
): Promise<T> {
  const executablePath = options.executablePath ?? (await ensureChromium());
  const browser = await chromium.launch({ ...options, executablePath, args: [...args] });
  try {
    const page = await browser.newPage();
    await page.route(address, (route) =>
      route.fulfill({ contentType: "text/html", body: "<title>adapter</title>" }),
    );
    await page.goto(address);
    return await work(page);
  } finally {
    await browser.close();
  }
}

export function readAdapterWithSwitches(
  args: readonly string[],
  executablePath?: string,
): Promise<AdapterRecord | null> {
  return runOnEmptyPage(args, readAdapter, executablePath === undefined ? {} : { executablePath });
}
