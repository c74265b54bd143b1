/** Twenty-six tasks with the keyboard alone, one after the other on one page: whatever is used is reached by Tab, keys or the palette. */

import type { Locator } from "@playwright/test";
import { textOf } from "./page.ts";
import { expect, type Page, test } from "./test.ts";

/**
 * Presses Tab until the control has the focus. More presses than this nobody would make. The editor keeps Tab for itself until
 * Ctrl M is pressed in it, once for the page.
 */
async function tabTo(page: Page, control: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  await expect(control).toBeAttached();
  for (let presses = 0; presses < 70; presses += 1) {
    const at = await control.evaluate((element) => {
      const active = document.activeElement;
      if (element === active) return "there";
      return active?.closest(".monaco-editor") ? "editor" : "elsewhere";
    });
    if (at === "there") return;
    if (at === "editor" && !leavesEditor.has(page)) {
      leavesEditor.add(page);
      await page.keyboard.press("Control+m");
    }
    await page.keyboard.press(key);
  }
  throw new Error(`${control} is not reached by ${key}.`);
}

const leavesEditor = new WeakSet<Page>();

/** By the command palette, as somebody does who knows the page. */
async function command(page: Page, text: string): Promise<void> {
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: "Commands" });
  await expect(palette.getByRole("combobox")).toBeFocused();
  await page.keyboard.type(text);
  await expect(palette.getByRole("option").first()).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Enter");
  await expect(palette).toBeHidden();
}

/** Presses Space in the middle of the next run, which is over within a second. */
async function pressSpaceInMidRun(page: Page): Promise<void> {
  await page.evaluate(() => {
    const watch = new MutationObserver(() => {
      if (!document.querySelector("button[aria-label=Pause]:enabled")) return;
      if (document.querySelectorAll("[data-index]").length < 5) return;
      watch.disconnect();
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: " ", bubbles: true }));
    });
    watch.observe(document.body, { childList: true, subtree: true, attributes: true });
  });
}

test("twenty-six tasks without a mouse", async ({ page }) => {
  const press = (key: string) => page.keyboard.press(key);
  const type = (text: string) => page.keyboard.type(text);
  const button = (name: string | RegExp) => page.getByRole("button", { name });
  const ribbon = page.getByRole("listbox", { name: "Tokens" });
  const cursor = page.locator('.ribbon [role="option"].cell-cursor');
  const selected = page.locator('.ribbon [role="option"][aria-selected="true"]');
  const state = page.locator(".run-line p").first();
  /** A run that this page has not shown before has ended: each has a text or a seed of its own. */
  const ended = async (text: string | RegExp) => {
    await expect(state).toContainText("Ended");
    await expect(page.locator(".read")).toContainText(text);
  };
  const onTab = (name: string) =>
    expect(page.getByRole("tab", { name })).toHaveAttribute("aria-selected", "true");
  const task = (name: string, does: () => Promise<void>) => test.step(name, does);

  await page.goto("./");
  await page.getByRole("heading", { name: "Change what a model says" }).waitFor();

  await task("1 run", async () => {
    await press("Control+Enter");
    await ended("Max");
  });
  await task("2 walk through the text", async () => {
    await tabTo(page, ribbon);
    await press("Home");
    await press("ArrowRight");
    await expect(cursor).toHaveAttribute("data-index", "1");
    await press("ArrowDown");
    await expect(cursor).not.toHaveAttribute("data-index", "1");
    await press("End");
    await expect(cursor).toHaveAttribute(
      "data-index",
      String((await page.locator("[data-index]").count()) - 1),
    );
  });
  await task("3 go from change to change", async () => {
    await press("Home");
    await press("n");
    await expect(cursor).toHaveAttribute("aria-label", /removed|forced|adjusted/);
    await expect(ribbon).toHaveAttribute("aria-activedescendant", (await cursor.getAttribute("id")) ?? "");
    const first = await cursor.getAttribute("data-index");
    await press("n");
    await expect(cursor).not.toHaveAttribute("data-index", first ?? "");
    await press("p");
    await expect(cursor).toHaveAttribute("data-index", first ?? "");
  });
  await task("4 select a range, and one token again", async () => {
    await press("Home");
    for (let times = 0; times < 3; times += 1) await press("Shift+ArrowRight");
    await expect(selected).toHaveCount(4);
    await press("Escape");
    await expect(selected).toHaveCount(1);
  });
  await task("5 fold what was removed, and unfold it", async () => {
    await press("f");
    await expect(ribbon).toHaveClass(/ribbon-folded/);
    await press("f");
    await expect(ribbon).not.toHaveClass(/ribbon-folded/);
  });
  await task("6 shade words", async () => {
    await tabTo(page, button(/^View$/), "Shift+Tab");
    await press("Enter");
    const shade = page.getByRole("checkbox", { name: "Shade by surprisal" });
    await tabTo(page, shade);
    await press("Space");
    await expect(shade).toBeChecked();
    await press("Space");
    await press("Escape");
  });
  await task("7 change from panel to panel", async () => {
    await tabTo(page, page.getByRole("tab", { name: "Step" }));
    await press("ArrowRight");
    await onTab("Layers");
    await press("ArrowRight");
    await onTab("Tracks");
    await press("End");
    await onTab("Transcript");
    await press("Home");
    await onTab("Step");
  });
  await task("8 zoom the tracks", async () => {
    await command(page, "show tracks");
    await tabTo(page, page.getByRole("slider", { name: "Tracks" }));
    await press("+");
    await expect(button("Whole run")).toBeEnabled();
    await press("0");
    await expect(button("Whole run")).toBeDisabled();
  });
  await task("9 filter the events", async () => {
    await command(page, "show events");
    await tabTo(page, page.getByRole("grid"));
    await press("/");
    await type("mod:plot-twist ");
    await expect(page.getByRole("grid")).toContainText("plot-twist");
  });
  await task("10 go to a token by its number", async () => {
    await command(page, "token 12");
    await expect(cursor).toHaveAttribute("data-index", "11");
  });
  await task("11 branch off at another alternative", async () => {
    await command(page, "show step");
    const branch = button(/^Continue from here with/);
    await tabTo(page, branch.first());
    await press("Enter");
    await expect(page.locator(".family-bar")).toBeVisible();
    await expect(state).toContainText("Ended");
  });
  await task("12 open the history, and a run of it", async () => {
    await press("h");
    await expect(page.getByRole("searchbox", { name: "Search the runs" })).toBeFocused();
    await tabTo(page, page.locator(".run-list"));
    await press("End");
    await press("Enter");
    await expect(page.locator(".family-bar")).toBeVisible();
  });
  await task("13 name a run, and find it by its name", async () => {
    await tabTo(page, page.getByRole("textbox", { name: "Name of the run" }));
    await type("Found again");
    await press("Enter");
    await tabTo(page, page.getByRole("searchbox", { name: "Search the runs" }), "Shift+Tab");
    await type("found again");
    await expect(page.locator(".run-list [role=option]")).toHaveCount(1);
  });
  await task("14 close the history", async () => {
    await press("Escape");
    await press("Escape");
    await expect(button("History")).toBeFocused();
  });
  await task("15 share a run", async () => {
    await press("s");
    const dialog = page.getByRole("dialog", { name: "Share this run" });
    await expect(dialog.locator("[data-address]")).toBeAttached();
    await tabTo(page, dialog.getByRole("button", { name: "Copy" }).first());
    await press("Escape");
    await expect(button("History")).toBeFocused();
  });
  await task("16 verify a run", async () => {
    await command(page, "verify");
    await expect(page.getByRole("dialog", { name: "Repeat and check this run" })).toBeVisible();
    await press("Escape");
  });
  await task("17 change the prompt, and run with it", async () => {
    await tabTo(page, page.getByLabel("user turn"));
    await press("Control+A");
    await type("Once upon a time there was a cat");
    await press("Control+Enter");
    await ended("Once upon a time there was a cat");
  });
  await task("18 change the sampling", async () => {
    await tabTo(page, page.locator(".sampling > summary"));
    await press("Enter");
    await tabTo(page, page.getByRole("spinbutton", { name: /Temperature/i }).first());
    await press("Control+A");
    await type("0.1");
    await press("Tab");
    await expect(page.locator(".sampling > summary")).toContainText("temperature 0.1");
  });
  await task("19 write in the editor, and leave it", async () => {
    await command(page, "open swap-name");
    await tabTo(
      page,
      page.locator(".monaco-editor textarea, .monaco-editor .native-edit-context").first(),
      "Shift+Tab",
    );
    await press("Control+Home");
    await type("// typed\n");
    await expect(page.locator(".view-line").first()).toContainText("typed");
    await press("Tab");
    await expect(page.locator(".monaco-editor.focused")).toHaveCount(0);
  });
  await task("20 ask a mod later, rename it, switch it off", async () => {
    const mod = page.locator(".mod-name").first();
    await tabTo(page, mod, "Shift+Tab");
    await press("Alt+ArrowRight");
    await expect(page.locator(".mod-name").nth(1)).toHaveText("swap-name");
    await press("F2");
    await type("renamed");
    await press("Enter");
    await expect(page.locator(".mod-name").nth(1)).toHaveText("renamed");
    await command(page, "switch renamed off");
    await expect(page.getByRole("checkbox", { name: "Include renamed in the next run" })).not.toBeChecked();
  });
  await task("21 delete a mod, and take that back", async () => {
    // The focus is on the tab of the mod, and its button comes next.
    await tabTo(page, button("More actions for renamed"));
    await press("Enter");
    await tabTo(page, page.locator(".menu:visible").getByRole("button", { name: "Delete" }));
    await press("Enter");
    await expect(page.locator(".mod-name")).toHaveCount(1);
    await tabTo(page, button("Undo"), "Shift+Tab");
    await press("Enter");
    await expect(page.locator(".mod-name")).toHaveCount(2);
  });
  await task("22 take a mod of the gallery", async () => {
    await command(page, "add a mod");
    await expect(page.getByRole("searchbox", { name: "Find a mod" })).toBeFocused();
    await type("ban a token");
    await press("Enter");
    await expect(page.locator(".mod-name")).toHaveCount(3);
  });
  await task("23 pause a long run, write one token, stop", async () => {
    await tabTo(page, page.getByRole("spinbutton", { name: "Max tokens" }));
    await press("Control+A");
    await type("400");
    // Out of the fields, in which a single-letter shortcut is a letter.
    await tabTo(page, page.locator(".run-controls button").first(), "Shift+Tab");
    await pressSpaceInMidRun(page);
    await press("Enter");
    await expect(button("Resume")).toBeVisible();
    const before = await textOf(page);
    await press(".");
    await expect.poll(() => textOf(page)).not.toBe(before);
    await command(page, "stop");
    await expect(state).toContainText("Stopped");
  });
  await task("24 read the guide, run an example, take it back", async () => {
    await press("g");
    await expect(page.getByRole("searchbox", { name: "Search the guide" })).toBeFocused();
    await type("one function");
    await press("Enter");
    const example = page.locator("[data-section=one-function-for-all-events]");
    await tabTo(page, example.getByRole("button", { name: "Run this example" }));
    await press("Enter");
    await expect.poll(() => textOf(page)).toContain("named Zoe");
    await command(page, "undo");
    await expect(page.locator(".mod-name")).toHaveCount(3);
    await command(page, "write: edit the mods");
    await expect(page.getByRole("region", { name: "Guide", exact: true })).toBeHidden();
  });
  await task("25 make the editor wider; have it dark", async () => {
    const splitter = page.getByRole("separator", { name: "Width of the editor" });
    const width = Number(await splitter.getAttribute("aria-valuenow"));
    await tabTo(page, splitter);
    await press("ArrowRight");
    await expect(splitter).toHaveAttribute("aria-valuenow", String(width + 2));
    await command(page, "theme dark");
    await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  });
  await task("26 read the list of keys, and switch letters off and on", async () => {
    await press("?");
    const keys = page.getByRole("dialog", { name: "Shortcuts" });
    const letters = keys.getByRole("checkbox");
    await tabTo(page, letters);
    await press("Space");
    await press("Escape");
    await press("x");
    await expect(page.getByRole("region", { name: "Experiments" })).toBeHidden();
    await command(page, "letter shortcuts on");
    await press("x");
    await expect(page.getByRole("region", { name: "Experiments" })).toBeVisible();
    await press("Escape");
    await expect(button("Experiments")).toBeFocused();
  });
});
