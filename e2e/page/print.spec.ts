/** On paper the run is a document: its text with notes, and nothing of the app around it. */

import { runToEnd } from "./page.ts";
import { expect, test } from "./test.ts";

test("a run is printed as a document", async ({ page }) => {
  await page.goto("./");
  await runToEnd(page);
  await expect(page.locator(".printed-run")).toHaveCount(0);
  await page.emulateMedia({ media: "print" });
  const printed = page.locator(".printed-run");
  await expect(printed).toBeVisible();
  await expect(printed).toContainText("swap-name");
  await expect(printed).toContainText("Removed by swap-name.");
  await expect(printed.locator("ins", { hasText: "But then it began to rain." })).toBeVisible();
  for (const app of [".bar", ".mods", ".conversation", ".ribbon", ".read-panels", "button"]) {
    await expect(page.locator(app).filter({ visible: true }), app).toHaveCount(0);
  }
  // As long as its text, not as high as the window.
  expect(await page.evaluate(() => getComputedStyle(document.body).overflow)).toBe("visible");
  await page.emulateMedia({ media: "screen" });
  await expect(page.locator(".ribbon")).toBeVisible();
  await expect(printed).toHaveCount(0);
});
