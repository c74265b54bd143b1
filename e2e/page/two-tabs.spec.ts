/** Two tabs of one browser: nothing that is written in one is lost to the other. */

import { addExample } from "./page.ts";
import { expect, type Page, test } from "./test.ts";

async function typeAtTop(page: Page, mod: string, text: string): Promise<void> {
  await page.bringToFront();
  await page.getByRole("button", { name: mod, exact: true }).click();
  await page.locator(".monaco-editor .view-line").first().click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type(text);
}

test("two tabs write mods and prompts, and each has all of it after a reload", async ({ context }) => {
  const [one, two] = [await context.newPage(), await context.newPage()];
  for (const page of [one, two]) {
    await page.goto("./");
    await page.locator(".monaco-editor .view-line").first().waitFor();
  }
  const names = await one.locator(".mod-name").allTextContents();
  const [first = "", second = ""] = names;
  await typeAtTop(one, first, "// typed in the first tab ");
  await typeAtTop(two, second, "// typed in the second tab ");
  await one.getByLabel("user turn").fill("Prompt of the first tab");
  await two.getByLabel("user turn").fill("Prompt of the second tab");
  await addExample(two, "Rename the hero");
  await expect(two.locator(".mod-name")).toHaveText([...names, "rename-hero"]);

  await expect(one.locator(".mod-name")).toHaveText([...names, "rename-hero"]);
  await expect(one.getByLabel("Include rename-hero in the next run")).not.toBeChecked();
  await expect(one.getByLabel(`Include ${first} in the next run`)).toBeChecked();
  for (const page of [one, two]) await page.reload();
  const source = async (page: Page, mod: string) => {
    await page.getByRole("button", { name: mod, exact: true }).click();
    return page.locator(".monaco-editor .view-line").first();
  };
  for (const page of [one, two]) {
    await expect(await source(page, first)).toContainText(/typed.in.the.first.tab/);
    await expect(await source(page, second)).toContainText(/typed.in.the.second.tab/);
  }
  await expect(one.getByLabel("user turn")).toHaveValue("Prompt of the first tab");
});
