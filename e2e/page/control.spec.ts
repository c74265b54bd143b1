/** A run is held where its user wants it: at breakpoints, event by event, token by token; and its words stay the same. */
import { readFile } from "node:fs/promises";
import {
  axeViolations,
  keptRuns,
  openWithBreakpoint,
  pressRun,
  runToEnd,
  textOf,
  writeSource,
} from "./page.ts";
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
  await expect(list).toContainText("There are no breakpoints yet");
  await list.getByLabel("Pause when").selectOption("action");
  await list.getByLabel("What the mod does").selectOption("backtrack");
  await list.getByRole("button", { name: "Add", exact: true }).press("Enter");
  await expect(list.getByRole("checkbox")).toHaveCount(1);
  await list.getByLabel("Pause when").selectOption("text");
  await list.getByLabel("Text in the answer").press("Enter");
  await expect(list.getByRole("alert")).toContainText("Enter the text");
  await page.keyboard.press("Escape");

  await pressRun(page);
  await expect(line(page)).toContainText("Paused at a breakpoint: a mod removes tokens");
  await expect(line(page)).toContainText("The mod swap-name replied to “added”");
  await expect(page.locator(".breakpoints-button")).toHaveAttribute("aria-label", /1 breakpoint on/);
  await expect.poll(() => textOf(page)).toContain("Lily");

  // Event by event: what the mod wanted is done.
  await page.locator(".read-panel").focus();
  await page.keyboard.press("e");
  await expect(line(page)).toContainText("The mod plot-twist replied to “added”: nothing");
  await page.keyboard.press("e");
  await expect(line(page)).toContainText(/^Paused\. .* removed/);
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
  await expect(line(page)).toContainText("Ended");
  await expect.poll(() => textOf(page)).toBe(whole);
  await page.reload();
  await control(page, "Breakpoints").click();
  await expect(list.getByRole("checkbox")).not.toBeChecked();
  await list.getByRole("button", { name: /^Remove/ }).click();
  await expect(list).toContainText("There are no breakpoints yet");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Undo" }).click();
  await control(page, "Breakpoints").click();
  await expect(list.getByRole("checkbox")).toHaveCount(1);
});

test("a line's mark leads to its steps, and a changed mod goes on from the middle", async ({ page }) => {
  await page.goto("./");
  await runToEnd(page);
  const whole = await textOf(page);
  // Swap-name goes back at its line 12: as often as the mark says, and each press selects another step.
  const mark = page.locator(".line-mark");
  await expect(mark).toHaveAttribute("data-line", "12");
  const count = Number(await mark.textContent());
  expect(count).toBeGreaterThan(1);
  const cursor = () => new URL(page.url()).searchParams.get("select");
  await mark.click();
  await expect.poll(cursor).not.toBeNull();
  const first = cursor();
  await mark.click();
  await expect.poll(cursor).not.toBe(first);
  // The later one: before it the mod did something already.
  const later = String(Math.max(Number(first), Number(cursor())));
  await page
    .locator(`[data-index="${Number(later) - 1}"]`)
    .first()
    .click();
  await expect.poll(cursor).toBe(later);

  // Nothing is offered while the mods are those that ran; once one is changed, the run goes on from the selected token.
  const goOn = page.getByRole("button", { name: /^Continue from .* with the editor’s mods$/ });
  await expect(goOn).toHaveCount(0);
  await page.locator(".monaco-editor .view-line").nth(3).click();
  await page.keyboard.press("End");
  for (let times = 0; times < 5; times += 1) await page.keyboard.press("ArrowLeft");
  await expect(page.locator(".monaco-editor .view-line").nth(3)).toContainText('"Max"');
  for (let times = 0; times < 3; times += 1) await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.insertText("Zoe");
  // Its line did what it did in the version that ran, and says so.
  await expect(mark).toHaveAttribute("title", /before the mod was edited/);
  await expect(mark).toHaveAttribute("data-line", "12");
  // One button at a time offers it: in the token's step while that is shown, else below the text.
  await expect(goOn).toHaveText("Continue from here with the editor’s mods");
  await page.getByRole("tab", { name: "Transcript" }).click();
  await expect(goOn).toHaveText(/^Continue from token \d+ with the editor’s mods$/);
  const step = Number(/\d+/.exec((await goOn.textContent()) ?? "")?.[0]);
  await page.getByRole("tab", { name: "Step" }).click();
  await page
    .locator(".inspector")
    .getByRole("button", { name: "Continue from here with the editor’s mods" })
    .click();
  await expect.poll(() => textOf(page)).toContain("Zoe");
  await expect(line(page)).toContainText("Ended");
  const changed = await textOf(page);
  expect(step).toBeGreaterThan(5);
  expect(changed.slice(0, 30)).toBe(whole.slice(0, 30));
  await expect(goOn).toHaveCount(0);

  // It is a branch, which keeps what the mod forced as it was, and says where it would have done otherwise.
  await expect(page.locator(".family-bar")).toContainText(
    /^This run branches off .* at token \d+, with changed mods\./,
  );
  const difference = page.getByLabel("What the changed mods would have done before the branch");
  await expect(difference).toContainText("The mod “swap-name” would have acted differently at token");
  await expect(difference).toContainText(
    'replied with backtrack " Zoe"; in the recorded run, it replied with backtrack " Max"',
  );
  const differs = Number(/at token (\d+)/.exec((await difference.textContent()) ?? "")?.[1]);
  expect(differs).toBeLessThan(step);
  await page.locator('[data-index="0"]').first().click();
  await expect(page.locator(".inspector-place")).toContainText("token 1 of");
  await difference.getByRole("button", { name: "Show the step" }).click();
  await expect(page.locator(".inspector-place")).toContainText(`token ${differs} of`);
  await expect(page.locator(".inspector .calls")).toContainText("swap-name (parent run) in added()");
  expect(await axeViolations(page)).toEqual([]);
});

test("paused at what a mod did, the mod is changed and goes on: the event is put to it anew, in a branch", {
  tag: "@daily",
}, async ({ page }) => {
  await openWithBreakpoint(page, { type: "action", action: "backtrack", mod: null });
  await pressRun(page);
  await expect(line(page)).toContainText("Paused at a breakpoint: a mod removes tokens");
  await expect.poll(() => textOf(page)).toContain("Lily");
  const held = await textOf(page);
  const goOn = page.getByRole("button", { name: "Continue with the editor’s mods" });
  await expect(goOn).toHaveCount(0);
  await writeSource(page, (await swapNames()).replace('"Max"', '"Zoe"'));
  await page.locator(".run-controls").getByRole("button", { name: "Breakpoints" }).click();
  const list = page.getByRole("dialog", { name: "Breakpoints" });
  await list.getByRole("checkbox").uncheck();
  await page.keyboard.press("Escape");
  await goOn.click();
  await expect.poll(() => textOf(page)).toContain("Zoe");
  await expect(line(page)).toContainText("Ended");
  const text = await textOf(page);
  expect(text).not.toContain("Max");
  const shared = held.slice(0, held.lastIndexOf("Lily"));
  expect(text.slice(0, shared.length)).toBe(shared);
  await expect(page.getByLabel("What the changed mods would have done before the branch")).toContainText(
    "these mods would have acted the same way",
  );
  await expect.poll(async () => (await keptRuns(page)).listed.length).toBe(2);
  const { listed } = await keptRuns(page);
  expect(listed.flatMap(({ from }) => from ?? [])).toHaveLength(1);
  await page.locator(".family-bar").getByRole("button", { name: "Branch tree" }).click();
  await expect(page.getByRole("treeitem")).toHaveCount(2);
});

const swapNames = () => readFile("src/page/examples/swap-name.ts", "utf8");

test("a run is played back event by event, and what is selected is gone to", async ({ page }) => {
  await page.goto("./");
  await runToEnd(page);
  const whole = await textOf(page);
  await page.locator(".read-panel").focus();
  await page.keyboard.press("r");
  const words = page.locator(".playback-words");
  const place = page.getByLabel("Position in the run");
  await expect(words).toContainText("Event");
  await expect.poll(async () => Number(await place.inputValue())).toBeGreaterThan(8);
  await page.keyboard.press(" ");
  await expect(page.getByRole("button", { name: "Play (space)" })).toBeVisible();
  const halted = Number(await place.inputValue());
  await page.keyboard.press(",");
  await expect(place).toHaveValue(String(halted - 1));
  await page.keyboard.press(".");
  await expect(place).toHaveValue(String(halted));
  const part = await textOf(page);
  expect(part.length).toBeLessThan(whole.length);

  // At its highest speed it comes to the end by itself; a token that is selected takes it back there.
  await place.fill("100");
  await expect(words).toContainText("Event 101 of");
  const middle = await textOf(page);
  await page.locator("[data-index='3']").click();
  await expect.poll(async () => (await textOf(page)).length).toBeLessThan(middle.length);
  await expect(words).toContainText("is added: 4 tokens so far");
  await page.getByLabel("Speed").selectOption("100");
  await page.getByRole("button", { name: "Play (space)" }).click();
  await expect(words).toContainText("the run ends");
  await expect.poll(() => textOf(page)).toBe(whole);
  await place.focus();
  await page.keyboard.press("Escape");
  await expect(words).toHaveCount(0);
  await expect.poll(() => textOf(page)).toBe(whole);
});
