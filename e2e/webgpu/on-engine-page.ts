/** The page of the engine's tests, one for a file. */
import { type Browser, type Page, test } from "@playwright/test";
import type { EnginePage } from "./engine-page.ts";

declare global {
  interface Window {
    engine: EnginePage;
  }
}

export type AskEnginePage = <Answer>(ask: (page: Page) => Promise<Answer>) => Promise<Answer>;

/**
 * Opens the page for the tests of a file, and returns a function that asks the page. Chromium's renderer dies now and then under
 * software WebGPU ("Target crashed", twice in five whole runs, each time in the suite of another graph): the page is then
 * opened anew and asked once more, and the output says so.
 */
export function onEnginePage(): AskEnginePage {
  // SwiftShader interprets every shader: on a busy machine a suite takes minutes. On a card the limit of the command line holds.
  if (process.env.MIDTOKEN_DEVICE !== "gpu") test.describe.configure({ timeout: 600_000 });
  let page: Page;
  const open = async (browser: Browser) => {
    page = await browser.newPage();
    await page.goto("/e2e/webgpu/engine.html");
    await page.waitForFunction(() => "engine" in window);
  };
  test.beforeAll(({ browser }) => open(browser));
  test.afterAll(() => page.close());
  return async (ask) => {
    try {
      return await ask(page);
    } catch (error) {
      if (!/Target crashed/.test(String(error))) throw error;
      console.log("Chromium's page crashed: it is opened anew and asked once more.");
      const browser = page.context().browser();
      if (!browser) throw error;
      await open(browser);
      return ask(page);
    }
  };
}
