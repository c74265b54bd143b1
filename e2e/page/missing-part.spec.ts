/** A piece of the page that does not come, after a new deploy or offline, or that fails: its place says so, the rest goes on, nothing is lost. */
import { encodePermalink } from "../../src/core/trace/file/permalink.ts";
import { sampleTrace } from "../../src/core/trace/testing/sample-trace.ts";
import { cells, pressRun, runToEnd } from "./page.ts";
import { expect, type Page, test } from "./test.ts";

/** Answers 404 for these pieces until the returned function is called. */
async function withhold(page: Page, piece: string): Promise<() => Promise<void>> {
  const pattern = new RegExp(`/assets/${piece}-[^/]*\\.(js|css)`);
  await page.route(pattern, (route) => route.fulfill({ status: 404, body: "gone" }));
  return () => page.unroute(pattern);
}

const fault = (page: Page) => page.locator(".pane-fault");

test("without the editor the page works, a mod can be changed, and the editor comes when it is there again", async ({
  page,
}) => {
  const giveBack = await withhold(page, "code-editor");
  const giveCompilerBack = await withhold(page, "compile-worker");
  await page.goto("./");
  await test.step("nor without the compiler is a run left hanging", async () => {
    await pressRun(page);
    await expect(page.locator(".start-failure")).toContainText(
      "The mod compiler could not be fetched. Check that you are online and press Run again",
    );
    const compilerFault = fault(page).filter({ hasText: "The mod compiler could not be fetched." });
    await expect(compilerFault).toContainText("The server no longer has this file.");
    await compilerFault.getByRole("button", { name: "Try again" }).click();
    await expect(compilerFault).toContainText("The server no longer has this file.");
    await giveCompilerBack();
    // The first try may still be under way, and find it there.
    await expect(async () => {
      if ((await compilerFault.count()) > 0)
        await compilerFault.getByRole("button", { name: "Try again" }).click({ timeout: 1_000 });
      await expect(compilerFault).toHaveCount(0, { timeout: 2_000 });
    }).toPass();
    await expect(page.locator(".start-failure")).toHaveCount(0);
    await expect(page.locator(".mod-name")).toHaveCount(2);
  });
  await expect(fault(page)).toContainText("The editor could not be fetched.");
  await expect(fault(page)).toContainText("The server no longer has this file.");
  await runToEnd(page);
  expect((await cells(page)).length).toBeGreaterThan(20);
  const plain = page.locator("textarea.mods-plain");
  await plain.focus();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("// typed without the editor\n");
  // It still does not come: the same words, and nothing of what was typed is gone.
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(fault(page)).toContainText("The editor could not be fetched.");
  await giveBack();
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.locator(".monaco-editor .view-line").first()).toContainText("without");
  await expect(fault(page)).toHaveCount(0);
  // The editor can undo and redo text that was typed before the editor was there.
  await page.locator(".monaco-editor .view-line").first().click();
  await page.keyboard.press("Control+z");
  await expect(page.locator(".monaco-editor .view-lines")).not.toContainText("without");
  await page.keyboard.press("Control+Shift+z");
  await expect(page.locator(".monaco-editor .view-line").first()).toContainText("without");

  await test.step("the gallery, in its dialog", async () => {
    const giveGalleryBack = await withhold(page, "gallery");
    await page.getByRole("button", { name: "Add a mod" }).click();
    const dialog = page.getByRole("dialog", { name: "Examples" });
    await expect(dialog).toContainText("The list of examples could not be fetched.");
    await giveGalleryBack();
    await dialog.getByRole("button", { name: "Try again" }).click();
    await expect(page.locator(".gallery-card").first()).toBeVisible();
    await page.keyboard.press("Escape");
  });

  await test.step("what checks a schema", async () => {
    const giveCheckBack = await withhold(page, "check-format");
    await page.locator(".answer summary").click();
    await page.getByRole("radio", { name: "JSON Schema" }).check();
    await expect(page.locator(".answer")).toContainText("could not be fetched");
    await giveCheckBack();
    await page.getByLabel("JSON Schema of the answer").fill('{"minimum": "x"}');
    await expect(page.locator(".answer .field-error")).toContainText("#/minimum");
  });

  await test.step("the list of keys, whose dialog the browser does not open", async () => {
    await page.evaluate(() => {
      const { showModal } = HTMLDialogElement.prototype;
      HTMLDialogElement.prototype.showModal = () => {
        HTMLDialogElement.prototype.showModal = showModal;
        throw new Error("This dialog does not open.");
      };
    });
    await page.getByRole("button", { name: "Shortcuts" }).click();
    const dialog = page.getByRole("dialog", { name: "Shortcuts" });
    await expect(dialog).toContainText("The list of shortcuts stopped working.");
    await dialog.getByRole("button", { name: "Try again" }).click();
    await expect(dialog.locator("kbd").first()).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
    expect((await cells(page)).length).toBeGreaterThan(20);
  });
});

test("without the code that saves runs the page works, and the run is saved when the code is there again", async ({
  page,
}) => {
  const giveBack = await withhold(page, "run-to-save");
  await page.goto("./");
  await runToEnd(page);
  const notSaved = page.getByRole("alert").filter({ hasText: "Not saved." });
  await expect(notSaved).toContainText(
    "The code that saves runs could not be fetched. Check that you are online and press Try again.",
  );
  const written = (await cells(page)).length;
  expect(written).toBeGreaterThan(20);
  await giveBack();
  await notSaved.getByRole("button", { name: "Try again" }).click();
  await expect(notSaved).toHaveCount(0);
  await page.reload();
  await expect.poll(async () => (await cells(page)).length).toBe(written);
});

test("without the code that reads runs the page says so, and shows the run after a reload", async ({
  page,
}) => {
  await page.goto("./");
  await runToEnd(page);
  const written = (await cells(page)).length;
  await expect(page.getByRole("alert").filter({ hasText: "Not saved." })).toHaveCount(0);
  const giveBack = await withhold(page, "opening-model");
  await page.reload();
  await expect(page.locator(".notices")).toContainText(
    "The last run could not be opened: The code that reads runs could not be fetched.",
  );
  await giveBack();
  await page.reload();
  await expect.poll(async () => (await cells(page)).length).toBe(written);
});

test("a link whose view does not come says so, and is drawn by a reload once it is there", async ({
  page,
}) => {
  const giveBack = await withhold(page, "viewer-first");
  await page.goto(`./${encodePermalink(sampleTrace({ tokens: 60 })).fragment}`);
  await expect(page.getByRole("alert")).toContainText("The view of shared runs could not be fetched.");
  await giveBack();
  await page.getByRole("button", { name: "Reload the page" }).click();
  await expect(page.locator("[data-index]").first()).toBeVisible();
});

test("a page whose deploy is gone says so, and a reload loses nothing", async ({ page }) => {
  await page.goto("./");
  await page.locator(".monaco-editor .view-line").first().waitFor();
  await page.getByLabel("user turn").fill("Once upon a time there was a cat");
  await withhold(page, "gallery");
  // The new deploy's page names another first script.
  const isPage = (url: URL) => url.pathname.endsWith("/");
  await page.route(isPage, async (route) => {
    const response = await route.fetch();
    await route.fulfill({
      response,
      body: (await response.text()).replace(/assets\/index-/, "assets/index-new-"),
    });
  });
  await page.getByRole("button", { name: "Add a mod" }).click();
  await expect(fault(page)).toContainText("Midtoken was updated after you opened this page");
  await page.unrouteAll();
  await page.getByRole("button", { name: "Reload the page" }).click();
  await expect(page.getByLabel("user turn")).toHaveValue("Once upon a time there was a cat");
  await page.getByRole("button", { name: "Add a mod" }).click();
  await expect(page.locator(".gallery-card").first()).toBeVisible();
});

test("offline, a piece that is missing comes by itself once the page is online", async ({
  page,
  context,
}) => {
  // The tests share one browser context: another one may have fetched the piece, and offline it would come from the cache.
  const session = await context.newCDPSession(page);
  await session.send("Network.clearBrowserCache");
  await page.goto("./");
  await page.locator(".monaco-editor .view-line").first().waitFor();
  await context.setOffline(true);
  await page.getByRole("button", { name: "Add a mod" }).click();
  await expect(fault(page)).toContainText("The server cannot be reached.");
  await context.setOffline(false);
  await expect(page.locator(".gallery-card").first()).toBeVisible();
});
