/** A live run shared from a page on plain http, as `npm start -- --live --host NAME` serves it, and watched by another browser and by Firefox. */

import { type Browser, expect, test } from "@playwright/test";
import { Firefox } from "../firefox/marionette.ts";
import {
  type InsecureServer,
  insecureFirefox,
  launchInsecureChromium,
  serveInsecurely,
} from "../insecure.ts";
import { beginAsLaterVisit } from "../later-visit.ts";
import { runToEnd, textOf } from "./page.ts";

let server: InsecureServer;
let browser: Browser;

test.beforeAll(async () => {
  server = await serveInsecurely({ live: true });
  browser = await launchInsecureChromium();
});
test.afterAll(async () => {
  await browser.close();
  server.close();
});

/** Firefox finds ways over the loopback address only when it is told to, as Chromium does. */
const loopback = {
  "media.peerconnection.ice.loopback": true,
  "media.peerconnection.ice.obfuscate_host_addresses": false,
};

test("on plain http a run is proved, shared and watched, in Chromium and in Firefox, until it is stopped", async () => {
  const sharer = await browser.newPage();
  await beginAsLaterVisit(sharer);
  await sharer.goto(server.address);
  expect(await sharer.evaluate(() => [isSecureContext, crypto.subtle === undefined])).toEqual([false, true]);
  await sharer.getByRole("button", { name: "Share this run" }).click();
  await sharer.getByRole("tab", { name: "Live" }).click();
  await sharer.getByRole("button", { name: "Share live" }).click();
  await expect(sharer.locator(".live-reach")).toContainText("and so can other machines");
  const link = (await sharer.locator("[data-address]").getAttribute("data-address")) ?? "";

  const watcher = await (await browser.newContext()).newPage();
  await watcher.goto(link);
  await expect(watcher.getByRole("heading", { name: "Waiting for a run" })).toBeVisible();
  const firefox = await Firefox.launch({ ...insecureFirefox, ...loopback });
  try {
    await firefox.goto(link);
    await firefox.waitForText("h2", /Waiting for a run/);
    await expect(sharer.getByRole("heading", { name: "2 watching" })).toBeVisible();
    await sharer.keyboard.press("Escape");
    await runToEnd(sharer);
    await expect.poll(async () => (await textOf(watcher)) === (await textOf(sharer))).toBe(true);
    const textInFirefox = () =>
      Array.from(document.querySelectorAll("[data-index]"), ({ textContent }) => textContent).join("");
    const text = await sharer.evaluate(textInFirefox);
    await expect.poll(() => firefox.evaluate(textInFirefox)).toBe(text);

    await sharer.getByRole("button", { name: /Live · 2/ }).click();
    await sharer.getByRole("button", { name: "Stop sharing" }).click();
    await expect(watcher.locator(".link-banner")).toContainText(
      "The person who shared this run stopped sharing",
    );
    await firefox.waitForText(".link-banner", /The person who shared this run stopped sharing/);
  } finally {
    await firefox.close();
  }
});
