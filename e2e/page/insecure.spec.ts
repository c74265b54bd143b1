/** Pages on plain http other than localhost: a local network, `npm start -- --host NAME`. A run with a mod works, and what is missing is said. */
import { type Browser, expect, type Page, test } from "@playwright/test";
import { Firefox } from "../firefox/marionette.ts";
import {
  type InsecureServer,
  insecureFirefox,
  insecureHost,
  launchInsecureChromium,
  serveInsecurely,
} from "../insecure.ts";
import { cells, listenForErrors, runToEnd } from "./page.ts";

let server: InsecureServer;
let browser: Browser;

test.beforeAll(async () => {
  server = await serveInsecurely();
  browser = await launchInsecureChromium();
});
test.afterAll(async () => {
  await browser.close();
  server.close();
});

/** Errors and warnings of the console, without Chromium's own remark that it ignores a header on insecure addresses. */
function listenForFaults(page: Page): () => string[] {
  const errors = listenForErrors(page);
  const isOurs = (text: string) => !text.startsWith("The Cross-Origin-Opener-Policy header has been ignored");
  return () => errors.filter(isOurs);
}

/** Address of a page of the dev server, under the insecure name. */
function devPage(path: string): string {
  const port = process.env.E2E_PORT ?? "5199";
  return `http://${insecureHost}:${port}${path}`;
}

test("in Chromium the playground runs its mods, says what is missing, and copies a link", async () => {
  const page = await browser.newPage();
  const faults = listenForFaults(page);
  await page.goto(server.address);
  expect(await page.evaluate(() => [isSecureContext, "randomUUID" in crypto])).toEqual([false, false]);
  await expect(page.locator(".notice")).toContainText("Browsers offer WebGPU, saved models");
  await expect(page.locator(".notice")).toContainText(`this page is at ${new URL(server.address).origin}`);
  await runToEnd(page);
  const marks = (await cells(page)).map(({ mark }) => mark);
  expect(marks).toContain("forced");
  expect(marks).toContain("removed");
  await expect(page.locator(".model-where")).toContainText("WebAssembly");

  await page.getByRole("button", { name: "Share this run" }).click();
  const copy = page.getByRole("button", { name: "Copy link" });
  await expect(copy).toHaveAttribute("data-address", /#t/);
  await copy.click();
  await expect(page.getByRole("button", { name: "Copied" })).toBeVisible();
  const link = await page.locator("[data-address]").getAttribute("data-address");
  await page.keyboard.press("Escape");

  await test.step("the copied link opens", async () => {
    const second = await browser.newPage();
    const secondFaults = listenForFaults(second);
    await second.goto(link ?? "");
    await expect(second.locator(".link-banner")).toContainText("Nothing has run on this device.");
    expect(secondFaults()).toEqual([]);
    await second.close();
  });
  await page.reload();
  // The run was saved before the reload, without the locks that insecure pages lack.
  await expect(page.locator(".run-line p").first()).toContainText("Ended");
  expect(faults()).toEqual([]);
});

test("in Chromium `useEngine` answers with a mod and the timeline element shows the request", async () => {
  const page = await browser.newPage();
  const faults = listenForFaults(page);
  await page.goto(devPage("/e2e/element/react.html"));
  const state = page.locator("#state");
  await expect(state).toHaveText("idle");
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await expect(state).toHaveText("finished");
  await expect(page.locator("#text")).toHaveText(/^\s*Hello/);
  await expect(page.locator("token-timeline .cell-forced")).not.toHaveCount(0);
  expect(faults()).toEqual([]);
});

test("in Firefox the playground, `useEngine` and the timeline element work", async () => {
  const firefox = await Firefox.launch(insecureFirefox);
  try {
    await firefox.goto(server.address);
    expect(await firefox.evaluate(() => isSecureContext)).toBe(false);
    await firefox.waitForText(".notice", /browsers offer WebGPU, saved models/i);
    await firefox.click('//*[contains(@class, "run-controls")]//button[starts-with(., "Run")]');
    await firefox.waitForText(".run-line p", /Ended/);
    const forced = () => document.querySelectorAll(".cell-forced").length;
    expect(await firefox.evaluate(forced)).toBeGreaterThan(0);

    await firefox.goto(devPage("/e2e/element/react.html"));
    await firefox.waitForText("#state", /idle/);
    await firefox.click('//button[.="Ask"]');
    await firefox.waitForText("#state", /finished/);
    await firefox.waitForText("#text", /^\s*Hello/);
    const shown = () => {
      const timeline = document.querySelector("token-timeline");
      return (timeline?.shadowRoot ?? timeline)?.querySelectorAll(".cell-forced").length ?? 0;
    };
    await expect.poll(() => firefox.evaluate(shown)).toBeGreaterThan(0);
  } finally {
    await firefox.close();
  }
});
