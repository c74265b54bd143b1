/** Opens the app of a fixture in Chromium and waits for what came of its request. */
import type { Browser } from "playwright-core";
import type { RunningApp, StartApp } from "./build-app.ts";

export interface AppResult {
  readonly text: string;
  /** Calls of the mod that forced tokens. */
  readonly forced: number;
  readonly device: string;
  /** Addresses that were asked for, without their origin where it is the app's. */
  readonly fetched: readonly string[];
}

/** @param options for `createEngine`. @throws Error with what the page says of its failure. */
export async function runApp(
  browser: Pick<Browser, "newPage">,
  app: RunningApp,
  options: object = {},
): Promise<AppResult> {
  const page = await browser.newPage();
  const said: string[] = [];
  const fetched: string[] = [];
  try {
    page.on("console", (message) => void (message.type() === "error" && said.push(message.text())));
    page.on("pageerror", (error) => void said.push(error.message));
    page.on("request", (request) => void fetched.push(request.url().replace(app.address, "/")));
    await page.addInitScript((given) => Object.assign(globalThis, { midtokenOptions: given }), options);
    await page.goto(app.address);
    await page
      .waitForFunction(() => "midtokenResult" in globalThis, undefined, { timeout: 120_000 })
      .catch(() => {
        throw new Error(`The app said nothing. Its console: ${said.join(" ")}`);
      });
    const result = await page.evaluate(
      () => (globalThis as unknown as { midtokenResult: AppResult & { error?: string } }).midtokenResult,
    );
    if (result.error !== undefined) throw new Error(`${result.error} Its console: ${said.join(" ")}`);
    return { ...result, fetched };
  } finally {
    await page.close();
  }
}

/** Whether a request with a mod ran as it should in an app that a tool made. */
export async function tryApp(
  browser: Browser,
  tarball: string,
  start: StartApp,
  options: object = {},
): Promise<AppResult> {
  const app = await start(tarball);
  try {
    const result = await runApp(browser, app, options);
    if (result.forced !== 1 || !result.text.includes(" Max")) {
      throw new Error(`The mod had no say: ${JSON.stringify(result)}`);
    }
    return result;
  } finally {
    await app.close();
  }
}
