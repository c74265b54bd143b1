/** The page in a browser that blocks cookies and site data: naming `localStorage` throws, and there is no database. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium, expect, test } from "@playwright/test";
import { ensureChromium } from "../../scripts/browsers.mjs";
import { chromiumArgs } from "../../scripts/chromium-switches.ts";
import { encodePermalink } from "../../src/core/trace/file/permalink.ts";
import { sampleTrace } from "../../src/core/trace/testing/sample-trace.ts";
import { blockedStorageNotice } from "../../src/page/app/store/browser-storage.ts";
import { listenForErrors, runToEnd, textOf } from "./page.ts";

/** Chromium's content setting that blocks a kind of data (components/content_settings, `CONTENT_SETTING_BLOCK`). */
const block = 2;

let profile = "";
let context: BrowserContext;

test.beforeAll(async ({ baseURL }) => {
  profile = mkdtempSync(join(tmpdir(), "midtoken-blocked-"));
  mkdirSync(join(profile, "Default"));
  const preferences = { profile: { default_content_setting_values: { cookies: block } } };
  writeFileSync(join(profile, "Default/Preferences"), JSON.stringify(preferences));
  context = await chromium.launchPersistentContext(profile, {
    executablePath: await ensureChromium(),
    args: chromiumArgs(),
    ...(baseURL && { baseURL }),
  });
});

test.afterAll(async () => {
  await context?.close();
  rmSync(profile, { recursive: true, force: true });
});

test("a first run works with blocked site data, and one sentence says that nothing is saved", async () => {
  const page = await context.newPage();
  const errors = listenForErrors(page);
  await page.goto("./");
  const refused = await page.evaluate(() => {
    try {
      return String(localStorage.length);
    } catch (cause) {
      return (cause as Error).name;
    }
  });
  expect(refused).toBe("SecurityError");
  await expect(page.getByText(blockedStorageNotice)).toBeVisible();
  await runToEnd(page);
  expect(await textOf(page)).toContain("Max");
  // The run is not saved either, and no second sentence says so.
  await page.waitForTimeout(1000);
  expect(await page.locator(".notice p, .banner[role=alert] p").allTextContents()).toEqual([
    `Not saved. ${blockedStorageNotice}`,
  ]);
  expect(errors).toEqual([]);
  await page.close();
});

test("a link opens with blocked site data", async () => {
  const page = await context.newPage();
  const errors = listenForErrors(page);
  const { fragment } = await encodePermalink(sampleTrace());
  await page.goto(`./${fragment}`);
  await expect(page.locator(".ribbon")).toBeVisible();
  await expect(page.getByRole("alert")).toHaveCount(0);
  expect(errors).toEqual([]);
  await page.close();
});
