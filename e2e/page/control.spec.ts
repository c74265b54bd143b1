/** A run is held where its user wants it: at breakpoints, event by event, token by token; and its words stay the same. */
import { pressRun, runToEnd, textOf } from "./page.ts";
import { expect, type Page, test } from "./test.ts";

const line = (page: Page) => page.locator(".run-line p").first();
const control = (page: Page, name: string | RegExp) =>
  page.locator(".run-controls").getByRole("button", { name });

test("breakpoints, steps and their keys", async ({ page }) => {
  await page.goto("./");
  await runToEnd(page);
  const whole = await textOf(page);
  expect(whole).toContain("Max");

  // By keys alone: the list opens, the field has the text, Enter adds it.
  await page.locator(".read-panel").focus();
  await page.keyboard.press("b");
  const list = page.getByRole("dialog", { name: "Breakpoints" });
  await expect(list).toContainText("There are none yet");
  await list.getByLabel("Pause when").selectOption("action");
  await list.getByLabel("What it does").selectOption("backtrack");
  await list.getByRole("button", { name: "Add", exact: true }).press("Enter");
  await expect(list.getByRole("checkbox")).toHaveCount(1);
  await list.getByLabel("Pause when").selectOption("text");
  await list.getByLabel("Text in the answer").press("Enter");
  await expect(list.getByRole("alert")).toContainText("Write the text");
  await page.keyboard.press("Escape");

  await pressRun(page);
  await expect(line(page)).toContainText("Paused at a breakpoint: a mod takes tokens back", {
    timeout: 60_000,
  });
  await expect(line(page)).toContainText("The mod swap-name answered “added”");
  await expect(page.locator(".breakpoints-button")).toHaveAttribute("aria-label", /1 breakpoint on/);
  const held = await textOf(page);
  expect(held).toContain("Lily");

  // Event by event: what the mod wanted is done.
  await page.locator(".read-panel").focus();
  await page.keyboard.press("e");
  await expect(line(page)).toContainText("The mod plot-twist answered “added”: nothing");
  await page.keyboard.press("e");
  await expect(line(page)).toContainText(/^Paused\. .* taken back/);
  await page.keyboard.press("e");
  await expect(line(page)).toContainText(/^Paused\. .*Max.* is added/);
  // The rest of the step, and one more.
  await page.keyboard.press(".");
  await expect(line(page)).toContainText(/^Paused before token/);
  const before = await line(page).textContent();
  await page.keyboard.press(".");
  await expect.poll(() => line(page).textContent()).toMatch(/^Paused before token/);
  await expect.poll(() => line(page).textContent()).not.toBe(before);

  // It is kept over a reload, and switched off it holds nothing; the words are those of a run that nobody held.
  await page.keyboard.press("b");
  await list.getByRole("checkbox").uncheck();
  await page.keyboard.press("Escape");
  await control(page, "Resume").click();
  await expect(line(page)).toContainText("Ended", { timeout: 60_000 });
  expect(await textOf(page)).toBe(whole);
  await page.reload();
  await control(page, "Breakpoints").click();
  await expect(list.getByRole("checkbox")).not.toBeChecked();
  await list.getByRole("button", { name: /^Remove/ }).click();
  await expect(list).toContainText("There are none yet");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Undo" }).click();
  await control(page, "Breakpoints").click();
  await expect(list.getByRole("checkbox")).toHaveCount(1);
});
