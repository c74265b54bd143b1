/** The gallery: found by a word, taken into the editor, run in the sandbox, seen in the text and on the timeline. */

import { addExample, axeViolations, cells, listenForErrors, runToEnd } from "./page.ts";
import { expect, type Page, test } from "./test.ts";

/** The text that stands in the end, and the text that was removed, questions of mods included. */
async function textsOf(page: Page): Promise<{ readonly standing: string; readonly removed: string }> {
  const all = await cells(page);
  const join = (isRemoved: boolean) =>
    all
      .filter(({ mark }) => (mark === "removed" || mark === "asked") === isRemoved)
      .map(({ text }) => text)
      .join("");
  return { standing: join(false), removed: join(true) };
}

async function openGallery(page: Page): Promise<void> {
  await page.goto("./");
  await page.getByRole("button", { name: "Add a mod" }).click();
}

test("Escape closes the gallery, also with a word in its search field", async ({ page }) => {
  await openGallery(page);
  await page.getByLabel("Find a mod").fill("JSON");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("a mod is found by its words, runs, asks in hiding, and brings what it needs", async ({ page }) => {
  const errors = listenForErrors(page);
  await openGallery(page);

  await test.step("the gallery is searched from the keyboard", async () => {
    const field = page.getByLabel("Find a mod");
    await expect(field).toBeFocused();
    const cards = page.locator(".gallery-card");
    const status = page.getByRole("status").filter({ hasText: "mods" });
    await expect(status).toHaveText(/^\d+ mods$/);
    const count = Number.parseInt(await status.innerText(), 10);
    expect(count).toBeGreaterThan(40);
    await expect(cards).toHaveCount(count);

    await page.keyboard.type("no such thing");
    await expect(cards).toHaveCount(0);
    await expect(page.getByText("No mod has “no such thing”")).toBeVisible();
    await field.fill("schema json");
    await expect(cards.first()).toContainText("JSON");
    expect(await axeViolations(page)).toEqual([]);

    await field.fill("adventure");
    await expect(cards).toHaveCount(1);
    await page.keyboard.press("Enter");
    await expect(field).toHaveCount(0);
    await expect(page.locator(".mod-item[data-active=true] .mod-name")).toHaveText("adventure");
  });

  await test.step("a flow writes what comes of its answers, as forced words, and takes its questions out", async () => {
    await runToEnd(page);
    const { standing, removed } = await textsOf(page);
    expect(standing).toMatch(/^, a dog went to the \w+\. There he found a \w+ and a \w+\./);
    expect(removed).toMatch(/^( There he found a \w+){2,}$/);
    const forced = (await cells(page)).filter(({ mark }) => mark === "forced").map(({ text }) => text);
    expect(forced.join("")).toContain(", a dog went to the");
    await expect(page.locator(".summary")).toContainText("adventure");
  });

  await test.step("a hidden question leaves the story as it is, and stands on the timeline as taken out", async () => {
    await addExample(page, "Ask a hidden question");
    await runToEnd(page);
    const asked = await textsOf(page);
    expect(asked.removed).toBe(" The story is about a boy");

    await page.getByLabel("Include hidden-question in the next run").uncheck();
    await runToEnd(page);
    expect(await textsOf(page)).toEqual({ standing: asked.standing, removed: "" });
  });

  await test.step("a response format and tools come with a mod, and go with Undo", async () => {
    await addExample(page, "Short strings in JSON");
    await expect(page.getByText("JSON that follows the schema").first()).toBeVisible();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(page.getByText("JSON that follows the schema")).toHaveCount(0);
    await addExample(page, "Call any tool");
    await expect(page.getByText("a call to 2 tools").first()).toBeVisible();
  });
  expect(errors).toEqual([]);
});

test("the gallery fits a narrow page", async ({ page }) => {
  await page.setViewportSize({ width: 899, height: 740 });
  await page.goto("./");
  await page.getByRole("tab", { name: "Write" }).click();
  for (const width of [899, 360]) {
    await page.setViewportSize({ width, height: 740 });
    await page.getByRole("button", { name: "Add a mod" }).click();
    const body = page.locator(".dialog-body");
    await expect.poll(() => body.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    const field = page.getByLabel("Find a mod");
    // The dialog rises a little as it opens.
    await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)));
    const before = await field.boundingBox();
    const cards = page.locator(".gallery-card");
    const last = cards.last().getByRole("button").first();
    await last.focus();
    await expect(last).toBeInViewport();
    // The field stays where it is, above the cards.
    expect((await field.boundingBox())?.y).toBeCloseTo(before?.y ?? 0, 1);
    const card = await cards.nth(20).boundingBox();
    expect((card?.y ?? 0) + (card?.height ?? 0)).toBeLessThan(before?.y ?? 0);
    await page.keyboard.press("Escape");
    await expect(field).toHaveCount(0);
  }
});
