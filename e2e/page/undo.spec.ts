/** Undo takes back what it names and nothing else, and the notice that offers it covers no control. */

import { addExample } from "./page.ts";
import { expect, type Page, test } from "./test.ts";

const names = (page: Page) => page.locator(".mod-name").allTextContents();

/** Selectors of the page's parts that the notice covers. */
function covered(page: Page, parts: readonly string[]): Promise<readonly string[]> {
  return page.evaluate((selectors) => {
    const box = (selector: string) => document.querySelector(selector)?.getBoundingClientRect();
    const notice = box(".notice");
    if (!notice) throw new Error("No notice is shown.");
    return selectors.filter((selector) => {
      const part = box(selector);
      if (!part || part.height === 0) throw new Error(`${selector} is not on the page.`);
      return (
        notice.left < part.right &&
        notice.right > part.left &&
        notice.top < part.bottom &&
        notice.bottom > part.top
      );
    });
  }, parts);
}

const settings = [".answer summary", ".sampling > summary"];

test("undo of a gallery mod leaves what was typed since", async ({ page }) => {
  await page.goto("./");
  await page.locator(".monaco-editor .view-line").first().waitFor();
  const [first = "", second = ""] = await names(page);
  await addExample(page, "Rename the hero");
  await expect(page.locator(".notice")).toHaveCount(1);
  expect(await covered(page, [...settings, ".read", ".bar"])).toEqual([]);
  await page.getByRole("button", { name: first, exact: true }).click();
  await page.locator(".monaco-editor .view-line").first().click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.insertText("// typed since\n");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.locator(".mod-name")).toHaveText([first, second]);
  await expect(page.locator(".monaco-editor .view-line").first()).toContainText("typed");
  await expect(page.getByLabel(`Include ${first} in the next run`)).toBeChecked();
  await expect(page.locator(".notice")).toHaveCount(0);

  // One at a time, also on a narrow page, where it takes room of its own.
  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByRole("tab", { name: "Write" }).click();
  for (const title of ["Rename the hero", "Ban a token"]) await addExample(page, title);
  await expect(page.locator(".notice")).toHaveCount(1);
  await page.getByRole("tab", { name: "Run" }).click();
  expect(await covered(page, settings)).toEqual([]);

  // 200 % zoom of 1440 × 900.
  await page.setViewportSize({ width: 720, height: 450 });
  await page.getByRole("tab", { name: "Read" }).click();
  expect(await covered(page, [".bar", ".place", "[role=tablist]"])).toEqual([]);
});
