/** Runs watched while they are made: from another tab, from another browser, from one who comes late; and hostile sharers and watchers. */

import { createTraceBuilder, requestRecord } from "../../src/core/trace/testing/trace-builder.ts";
import { createSharerKey } from "../../src/page/live/proof.ts";
import { helloMessage, serializeMessage } from "../../src/page/live/protocol.ts";
import {
  type CountedConnections,
  countConnections,
  floodOffers,
  hostileSharer,
  hostileWatcher,
} from "./hostile-live.ts";
import { expectAccessible, listenForErrors, openWithBreakpoint, pressRun, textOf } from "./page.ts";
import { expect, type Page, test } from "./test.ts";

const banner = (page: Page) => page.locator(".link-banner");
const liveDialog = (page: Page) => page.getByRole("dialog", { name: "Share this run" });

async function shareLive(page: Page, maker?: string): Promise<string> {
  await page.getByRole("button", { name: "Share this run" }).click();
  await page.getByRole("tab", { name: "Live" }).click();
  if (maker !== undefined) {
    await page.getByLabel("Add my name").check();
    await page.getByLabel("Your name").fill(maker);
  }
  await page.getByRole("button", { name: "Share live" }).click();
  const address = await page.locator("[data-address]").getAttribute("data-address");
  return address ?? "";
}

/** The text on the page once it is this long at least, and the same twice. */
async function sameText(one: Page, other: Page): Promise<void> {
  await expect.poll(() => textOf(one)).not.toBe("");
  await expect.poll(async () => (await textOf(one)) === (await textOf(other))).toBe(true);
}

test("a run is watched from another tab and another browser, also by one who comes late, until it is stopped", async ({
  context,
  browser,
  baseURL,
}) => {
  const sharer = await context.newPage();
  await openWithBreakpoint(sharer, { type: "text", text: "camping" });
  // A tab that still opens its editor may be too busy to answer a watcher in time, who then comes by the server.
  await sharer.locator(".monaco-editor .view-line").first().waitFor();
  const runButton = sharer.locator(".run-controls").getByRole("button", { name: "Run" });
  const narrower = sharer.viewportSize() ?? { width: 1280, height: 720 };
  const wider = { width: 1440, height: 900 };
  const placeAt = async (size: typeof wider) => {
    await sharer.setViewportSize(size);
    return runButton.boundingBox();
  };
  const places = [await placeAt(wider), await placeAt(narrower)];
  const address = await shareLive(sharer, "Ann\u202e <b>");
  expect(address).toMatch(/#w1\.[0-9a-f]{32}z$/);
  await expect(sharer.getByText("Nobody is watching yet")).toBeVisible();
  await expect(sharer.locator(".live-reach")).toContainText("and so can other machines");

  const early = await context.newPage();
  const errors = listenForErrors(early);
  const asked: string[] = [];
  early.on("request", (request) => asked.push(request.url()));
  await early.goto(address);
  await expect(early.getByRole("heading", { name: "Waiting for a run" })).toBeVisible();
  await expect(sharer.getByRole("heading", { name: "1 watching" })).toBeVisible();
  await sharer.keyboard.press("Escape");
  await expect(sharer.getByRole("button", { name: /Live · 1/ })).toBeVisible();
  expect([await placeAt(wider), await placeAt(narrower)]).toEqual(places);

  await pressRun(sharer);
  await expect(sharer.getByRole("button", { name: "Resume" })).toBeVisible();
  await sameText(early, sharer);
  await expect(early.locator(".run-line")).toContainText("Paused");
  await expect(banner(early)).toContainText(
    "Live. Made by “Ann <b>” as you watch. Nothing runs on this device.",
  );
  // Saving, running again, forking and sharing wait for the end of the run.
  for (const name of ["Save to my runs", "Run here and compare", "Open in the playground", "Share this run"])
    await expect(early.getByRole("button", { name })).toBeDisabled();

  // Another browser: no channel between tabs leads there.
  const elsewhere = await browser.newContext({ ...(baseURL && { baseURL }) });
  const late = await elsewhere.newPage();
  await late.goto(address);
  await sameText(late, sharer);
  await sharer.getByRole("button", { name: /Live · 2/ }).click();
  await expect(liveDialog(sharer).getByRole("listitem")).toHaveText([
    /Watcher 1.*in this browser/,
    /Watcher 2.*in another browser or on another machine/,
  ]);
  await expectAccessible(sharer, "sharing live");
  await expectAccessible(early, "watching");
  await sharer.keyboard.press("Escape");

  await sharer.getByRole("button", { name: "Resume" }).click();
  await expect(sharer.locator(".run-line p").first()).toContainText("Ended");
  for (const page of [early, late]) {
    await expect(page.locator(".run-line p").first()).toContainText("Ended");
    await sameText(page, sharer);
    await expect(page.getByRole("button", { name: "Open in the playground" })).toBeEnabled();
    await expect(banner(page)).toContainText("Made by “Ann <b>”. This run has ended");
  }

  // A watcher who closes the page is gone from the list; the next run takes the place of the one before.
  await late.goto("about:blank");
  await expect(sharer.getByRole("button", { name: /Live · 1/ })).toBeVisible();
  const before = await textOf(sharer);
  await sharer.getByLabel("user turn").fill("The dragon and the boat");
  await pressRun(sharer);
  // Only the new run has another text, so that its end is the one that is waited for.
  await expect.poll(() => textOf(sharer)).not.toBe(before);
  await expect(sharer.locator(".run-line p").first()).toContainText("Ended");
  await sameText(early, sharer);

  await sharer.getByRole("button", { name: /Live · 1/ }).click();
  await sharer.getByRole("button", { name: "Stop sharing" }).click();
  await expect(banner(early)).toContainText(
    "No longer live. Made by “Ann <b>”. The person who shared this run stopped sharing.",
  );
  await expect(sharer.getByRole("button", { name: /Live ·/ })).toHaveCount(0);
  await early.getByRole("button", { name: "Try again" }).click();
  await expect(banner(early)).toContainText("Nobody is sharing this run now");
  await sameText(early, sharer);
  await elsewhere.close();
  expect(errors).toEqual([]);
  expect(asked.filter((url) => /model|ort-|worker|playground|editor/.test(url))).toEqual([]);
});

test("a sharer whose page is closed is missed, and what came stays", { tag: "@daily" }, async ({
  context,
}) => {
  const sharer = await context.newPage();
  await sharer.goto("./");
  const address = await shareLive(sharer);
  await sharer.keyboard.press("Escape");
  const watcher = await context.newPage();
  await watcher.goto(address);
  await expect(watcher.getByRole("heading", { name: "Waiting for a run" })).toBeVisible();
  await pressRun(sharer);
  await expect(sharer.locator(".run-line p").first()).toContainText("Ended");
  await sameText(watcher, sharer);
  const text = await textOf(sharer);
  await sharer.close();
  await expect(banner(watcher)).toContainText("No longer live");
  expect(await textOf(watcher)).toBe(text);
  await expect(watcher.getByRole("button", { name: "Save to my runs" })).toBeEnabled();
});

test("of a hostile sharer nothing runs, and what is no run ends the watching with words", async ({
  context,
}) => {
  const markup = "<img src=x onerror=alert(1)><script>alert(2)</script>";
  const mods = [{ name: markup, source: `${markup}\nalert(3)` }];
  const builder = createTraceBuilder(requestRecord({ mods, messages: [{ role: "user", content: markup }] }));
  builder.prefill([{ token: 1, text: markup }]);
  builder.add([{ token: 2, text: markup }], "forced", { mod: 0 });
  const key = createSharerKey();
  const hostile = await hostileSharer(context, key.room, key);
  const watcher = await context.newPage();
  const errors = listenForErrors(watcher);
  const dialogs: string[] = [];
  watcher.on("dialog", (dialog) => dialogs.push(dialog.message()));
  await watcher.goto(`./#w1.${key.room}z`);
  await hostile.say({ type: "run" }, { type: "records", records: builder.records });
  await expect.poll(() => textOf(watcher)).toBe(markup);
  await watcher.getByRole("button", { name: "Show the mods" }).click();
  await expect(watcher.getByRole("dialog")).toContainText("alert(3)");
  await watcher.keyboard.press("Escape");
  await hostile.flood("{}", 1);
  await expect(banner(watcher)).toContainText(
    "The page received a message that does not belong to a live run",
  );
  expect(await textOf(watcher)).toBe(markup);
  expect(await watcher.locator("img[src=x], .link-view script").count()).toBe(0);
  expect([dialogs, errors]).toEqual([[], []]);
});

test("somebody else who answers at the link is refused with a sentence", async ({ context }) => {
  const { room } = createSharerKey();
  const hostile = await hostileSharer(context, room, createSharerKey());
  const watcher = await context.newPage();
  await watcher.goto(`./#w1.${room}z`);
  await expect(watcher.getByRole("alert")).toContainText("did not create the link");
  await hostile.say({ type: "run" });
  await expect(watcher.getByRole("alert")).toContainText("ask the person who shares it for a new link");
});

test("20,000 messages of each type from a hostile sharer end the watching with a sentence, and the page goes on", async ({
  context,
}) => {
  test.slow();
  const { records } = createTraceBuilder(requestRecord());
  const floods = {
    hello: serializeMessage(helloMessage(createSharerKey().prove({ binding: "", nonce: "" }))),
    run: serializeMessage({ type: "run" }),
    records: serializeMessage({ type: "records", records }),
    paused: serializeMessage({ type: "paused", isPaused: true }),
    ended: serializeMessage({ type: "ended", failure: null }),
    over: serializeMessage({ type: "over", why: "full" }),
  };
  for (const [type, message] of Object.entries(floods)) {
    const key = createSharerKey();
    const hostile = await hostileSharer(context, key.room, key);
    const watcher = await context.newPage();
    const errors = listenForErrors(watcher);
    await watcher.goto(`./#w1.${key.room}z`);
    await hostile.say({ type: "run" }, { type: "records", records });
    await expect(banner(watcher)).toBeVisible();
    await hostile.flood(message, 20_000);
    await expect(banner(watcher)).toContainText(/No longer live|cannot be watched/);
    // The page answers its user, and the run can be watched again.
    await watcher.getByRole("button", { name: "Try again" }).focus();
    await watcher.keyboard.press("Enter");
    await expect(banner(watcher)).toContainText("Live.");
    expect({ type, errors }).toEqual({ type, errors: [] });
    await watcher.close();
    await hostile.close();
  }
});

test("a flood of offers makes few connections, and an honest watcher gets in", async ({
  context,
  browser,
  baseURL,
}) => {
  test.slow();
  const sharer = await context.newPage();
  await countConnections(sharer);
  await sharer.goto("./");
  const address = await shareLive(sharer);
  await expect(sharer.locator(".live-reach")).toContainText("and so can other machines");
  const elsewhere = await browser.newContext({ ...(baseURL && { baseURL }) });
  const attacker = await elsewhere.newPage();
  const { room = "" } = /#w1\.(?<room>\w+)z/.exec(address)?.groups ?? {};
  const sockets = await floodOffers(attacker, room, 600);
  // 48 at once and 4 a second: the more, the longer a busy machine takes to try them all.
  expect(sockets.opened).toBeLessThan(300);
  const honest = await elsewhere.newPage();
  await honest.goto(address);
  await expect(sharer.getByRole("heading", { name: "1 watching" })).toBeVisible();
  await expect(honest.getByRole("heading", { name: "Waiting for a run" })).toBeVisible();
  const made = await sharer.evaluate(() => {
    const { connections, mostOpen } = globalThis as unknown as CountedConnections;
    return { count: connections.length, mostOpen };
  });
  // Eight that are being made, and the watcher's.
  expect(made.mostOpen).toBeLessThanOrEqual(9);
  expect(made.count).toBeLessThanOrEqual(sockets.opened + 4);
  await elsewhere.close();
});

test("a watcher who floods the sharer is gone at its first word too many", async ({
  context,
  browser,
  baseURL,
}) => {
  test.slow();
  const sharer = await context.newPage();
  await countConnections(sharer);
  await sharer.goto("./");
  const address = await shareLive(sharer);
  await expect(sharer.locator(".live-reach")).toContainText("and so can other machines");
  const { room = "" } = /#w1\.(?<room>\w+)z/.exec(address)?.groups ?? {};
  const elsewhere = await browser.newContext({ ...(baseURL && { baseURL }) });
  for (const kind of [
    "frames before the greeting",
    "frames after it",
    "texts",
    "channels",
    "parts that never end",
  ] as const) {
    const attacker = await elsewhere.newPage();
    const ended = await hostileWatcher(attacker, room, kind);
    expect({ kind, ended }).toEqual({ kind, ended: "closed" });
    await attacker.close();
    await expect(sharer.getByText("Nobody is watching yet")).toBeVisible();
  }
  const open = await sharer.evaluate(
    () =>
      (globalThis as unknown as CountedConnections).connections.filter(
        ({ connectionState }) => connectionState !== "closed",
      ).length,
  );
  expect(open).toBe(0);
  await elsewhere.close();
});

test("a link that is cut off, or of a newer Midtoken, says so", async ({ page }) => {
  await page.goto("./#w1.0123");
  await expect(page.getByRole("alert")).toContainText("incomplete or damaged");
  await page.goto("./#w9.0123");
  await expect(page.getByRole("alert")).toContainText("newer version of Midtoken");
});
