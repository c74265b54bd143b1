/** Chromium with an extension of a folder. It takes one only when it starts with a profile of its own. */
import { type BrowserContext, chromium } from "playwright-core";
import { ensureChromium } from "../../scripts/browsers.mjs";
import { chromiumArgs } from "../../scripts/chromium-switches.ts";

export interface OpenedExtension {
  /** Closing it ends the browser. */
  readonly context: BrowserContext;
  /** Where the extension's pages are. */
  readonly address: string;
}

/** @param folder with the manifest, which has to name a service worker: its address tells the extension's id. */
export async function openExtension(folder: string): Promise<OpenedExtension> {
  const context = await chromium.launchPersistentContext("", {
    executablePath: await ensureChromium(),
    args: [...chromiumArgs(), `--disable-extensions-except=${folder}`, `--load-extension=${folder}`],
    ignoreDefaultArgs: ["--disable-extensions"],
  });
  try {
    const worker =
      context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker", { timeout: 60_000 }));
    return { context, address: new URL("/index.html", worker.url()).href };
  } catch (error) {
    await context.close();
    throw error;
  }
}
