/** Earlier versions of a mod: each that ran is listed, shown beside the mod as it is, and comes back. */
import { axeViolations, inEachLook, runToEnd, writeSource } from "./page.ts";
import { expect, test } from "./test.ts";

const source = (word: string) => `import { mod } from "midtoken/mod";

export default mod({
  prefilled: (event, actions) => actions.adjustPrefill("A ${word}"),
});
`;

test("what ran comes back after it was changed, and what was never run is not lost", async ({ page }) => {
  await page.goto("./");
  const openVersions = async () => {
    await page
      .locator(".mod-item[data-active=true]")
      .getByRole("button", { name: /^More actions for/ })
      .click();
    await page.getByRole("button", { name: "Versions …" }).click();
  };
  const dialog = page.getByRole("dialog", { name: /^Versions of/ });
  const versions = dialog.getByRole("list", { name: "Versions, newest first" }).getByRole("button");
  const written = page.locator(".code-editor .view-lines").first();

  await openVersions();
  await expect(dialog).toContainText("There is no earlier version yet.");
  await page.keyboard.press("Escape");
  await writeSource(page, source("cat"));
  await runToEnd(page);
  await writeSource(page, source("dog"));
  await runToEnd(page);
  await writeSource(page, source("bird"));

  await openVersions();
  await expect(versions).toHaveCount(2);
  await expect(dialog.locator(".versions-diff")).toContainText('"A dog"');
  await expect(dialog.locator(".versions-diff")).toContainText('"A bird"');
  await versions.nth(1).click();
  await expect(dialog.locator(".versions-diff")).toContainText('"A cat"');
  await inEachLook(page, async () => expect(await axeViolations(page)).toEqual([]));
  await dialog.getByRole("button", { name: "Restore this version" }).click();
  await expect(written).toContainText('"A cat"');
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(written).toContainText('"A bird"');

  await openVersions();
  await expect(versions).toHaveCount(2);
  await page.keyboard.press("Escape");
  await page.reload();
  await openVersions();
  await expect(versions).toHaveCount(2);
});
