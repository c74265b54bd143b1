/** OpenAI's API for every page of a site, by the engine in one of its tabs, through the real service worker. */
import { type BrowserContext, expect, type Page, test } from "@playwright/test";
import type { Tab } from "./tab.ts";

declare global {
  interface Window {
    tab: Tab;
  }
}

const script = "/e2e/http/service-worker.js";

async function openTab(context: BrowserContext, folder = "/e2e/http"): Promise<Page> {
  const page = await context.newPage();
  page.on("pageerror", (error) => console.error(`A tab failed: ${error.message}`));
  await page.goto(`${folder}/tab.html`);
  await page.waitForFunction(() => "tab" in window);
  return page;
}

const ask = async (page: Page, mod = "", isStreamed = false) => {
  await page.evaluate(([name, streamed]) => window.tab.begin(name, streamed), [mod, isStreamed] as const);
};
const end = (page: Page) => page.evaluate(() => window.tab.end());
/** A mod that never answers, once some of the text has come. */
const hold = "added: ({ step }) => step === 3 ? new Promise(() => {}) : undefined";

test("the suite of OpenAI's client passes in a tab beside the one with the engine, and nothing is kept", async ({
  context,
}) => {
  const asking = await openTab(context);
  const serving = await openTab(context);
  const base = await serving.evaluate((url) => window.tab.serve(url), script);
  expect(new URL(base).pathname).toBe("/e2e/http/v1");
  const results = await asking.evaluate(() => window.tab.suite());
  expect(results.filter(({ error }) => error !== null)).toEqual([]);
  expect(results.length).toBeGreaterThan(40);
  expect(await asking.evaluate(() => caches.keys())).toEqual([]);
});

test("tabs hand over; what was on its way ends with an error or is answered by the next tab", async ({
  context,
}) => {
  const [asking, first] = [await openTab(context), await openTab(context)];
  await first.evaluate((url) => window.tab.serve(url), script);
  await first.evaluate((handlers) => window.tab.registerHere("mod", handlers), hold);
  const second = await openTab(context);
  await second.evaluate((url) => window.tab.serve(url, true), script);
  await second.evaluate(() => window.tab.registerHere("mod", "added() {}"));

  const whole = await openTab(context);
  await ask(whole, "mod");
  await expect.poll(() => first.evaluate(() => window.tab.runningRequests())).toBe(1);
  // One of its own, which waits behind the other for the engine: it has no head yet either.
  await ask(asking, "", true);
  await expect.poll(() => first.evaluate(() => window.tab.waitingRequests())).toBe(1);
  await first.close();
  const story = ", there was a little girl";
  expect(await end(whole)).toMatchObject({ text: expect.stringContaining(story), message: "" });
  expect(await end(asking)).toMatchObject({ text: expect.stringContaining(story), message: "" });

  await second.evaluate((handlers) => window.tab.registerHere("mod", handlers), hold);
  await ask(asking, "mod", true);
  await expect.poll(() => asking.evaluate(() => window.tab.heard())).not.toBe("");
  await second.close();
  // The answer had begun: its status was sent, and the error is its last event.
  expect(await end(asking)).toMatchObject({ text: expect.stringMatching(/^,/), code: "engine_closed" });
  await ask(asking);
  expect(await end(asking)).toMatchObject({ status: 503, code: "no_engine" });
  // The tab that asked may serve itself, and stop.
  await asking.evaluate((url) => window.tab.serve(url), script);
  await ask(asking);
  expect(await end(asking)).toMatchObject({ status: 200 });
  await asking.evaluate(() => window.tab.stop());
  await ask(asking);
  expect(await end(asking)).toMatchObject({ status: 503, code: "no_engine" });
});

test("only the API is answered; a site's own worker is not replaced, and may import ours", async ({
  context,
}) => {
  const folder = "/e2e/http/own";
  const page = await openTab(context, folder);
  await page.evaluate(async (url) => {
    await navigator.serviceWorker.register(url);
    await navigator.serviceWorker.ready;
  }, `${folder}/sites-own-worker.js`);
  const refused = await page.evaluate((url) => window.tab.serveError(url), `${folder}/service-worker.js`);
  expect(refused).toContain("sites-own-worker.js. Midtoken's service worker would replace that worker.");
  const missing = await page.evaluate((url) => window.tab.serveError(url), "/e2e/http/nowhere/worker.js");
  expect(missing).toContain("Copy midtoken/service-worker");
  const text = await page.evaluate((url) => window.tab.documented(url), `${folder}/sites-own-worker.js`);
  expect(text).toContain(", there was a little girl");
  const { besideText, isOurs } = await page.evaluate(async () => {
    const beside = await fetch("./v1x/models");
    const missing = await fetch("./v1/nothing");
    return { besideText: await beside.text(), isOurs: (await missing.text()).includes("unknown_url") };
  });
  expect(besideText).not.toContain('"error"');
  expect(isOurs).toBe(true);
});
