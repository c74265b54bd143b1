/** No axe violations in any state, in light and dark; everything by keyboard. */

import { axeViolations, runToEnd, sharedLink } from "./page.ts";
import { expect, test } from "./test.ts";

for (const colorScheme of ["light", "dark"] as const) {
  test(`no axe violations, ${colorScheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.goto("./");
    await page.locator(".monaco-editor .view-line").first().waitFor();
    expect(await axeViolations(page), "before the first run").toEqual([]);
    await runToEnd(page);
    expect(await axeViolations(page), "after a run").toEqual([]);
    for (const panel of ["Events", "Transcript"]) {
      await page.getByRole("tab", { name: panel }).click();
      expect(await axeViolations(page), panel).toEqual([]);
    }
    await page.locator(".sampling > summary").click();
    await page.locator(".model-button").click();
    await page.locator(".model-entry").first().waitFor();
    expect(await axeViolations(page), "model and sampling").toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Add a mod" }).click();
    expect(await axeViolations(page), "gallery").toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Share this run" }).click();
    await page.locator("[data-address]").waitFor();
    expect(await axeViolations(page), "share").toEqual([]);
    await page.keyboard.press("Escape");
    await page.goto(await sharedLink(page));
    await page.getByText("Recorded by someone else.").waitFor();
    expect(await axeViolations(page), "a link").toEqual([]);
  });
}

test("no axe violations on a narrow page", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto("./");
  for (const place of ["Write", "Run", "Read"]) {
    await page.getByRole("tab", { name: place }).click();
    expect(await axeViolations(page), place).toEqual([]);
  }
});

test("a whole journey without a mouse", async ({ page }) => {
  await page.goto("./");
  await page.getByRole("heading", { name: "Change what a model says" }).waitFor();
  await page.keyboard.press("Control+Enter");
  await expect(page.locator(".run-line p").first()).toContainText("Ended", { timeout: 60_000 });

  const ribbon = page.getByRole("listbox", { name: "Tokens" });
  await ribbon.focus();
  const active = () => page.locator('[role="option"][aria-selected="true"]');
  await page.keyboard.press("Home");
  await expect(active()).toHaveAttribute("data-index", "0");
  await page.keyboard.press("ArrowRight");
  await expect(active()).toHaveAttribute("data-index", "1");
  await page.keyboard.press("ArrowDown");
  expect(Number(await active().getAttribute("data-index"))).toBeGreaterThan(1);
  await page.keyboard.press("Home");
  await page.keyboard.press("n");
  await expect(active()).toHaveAttribute("aria-label", /removed|forced|adjusted/);
  await expect(ribbon).toHaveAttribute("aria-activedescendant", (await active().getAttribute("id")) ?? "");

  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keys" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(ribbon).toBeFocused();
  await page.keyboard.press("s");
  await expect(page.getByRole("dialog", { name: "Share this run" })).toBeVisible();
  await page.keyboard.press("Escape");

  await page.getByRole("tab", { name: "Step" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("tab", { name: "Tracks" })).toHaveAttribute("aria-selected", "true");

  const splitter = page.getByRole("separator", { name: "Width of the editor" });
  const width = Number(await splitter.getAttribute("aria-valuenow"));
  await splitter.focus();
  await page.keyboard.press("ArrowRight");
  await expect(splitter).toHaveAttribute("aria-valuenow", String(width + 2));

  const mod = page.locator(".mod-name").first();
  const name = await mod.textContent();
  await mod.focus();
  await page.keyboard.press("Alt+ArrowRight");
  await expect(page.locator(".mod-name").nth(1)).toHaveText(name ?? "");
});
