/** Rules without code: written in the panel, run, seen in the text, shared by a link, and opened again as rules. */
import { cells, expectAccessible, listenForErrors, sharedLink, untilEnded } from "./page.ts";
import { expect, test } from "./test.ts";

test("a rule is made, run and shared, and opens again from the link", async ({ page, context }) => {
  const errors = listenForErrors(page);
  await page.goto("./");
  const dialog = page.getByRole("dialog", { name: "Rules" });

  await test.step("the panel is found beside the blank mod; a rule runs by the keyboard", async () => {
    await page.getByRole("checkbox", { name: "Include swap-name in the next run" }).uncheck();
    await page.getByRole("button", { name: "Add a mod" }).click();
    await page.getByRole("button", { name: "Rules without code" }).click();
    await dialog.getByRole("button", { name: "Replace a phrase" }).click();
    await expect(dialog.getByLabel("When")).toBeFocused();
    await expectAccessible(page, "rules");
    await dialog.getByLabel("Replace", { exact: true }).fill("Lily");
    await dialog.getByLabel("With", { exact: true }).fill("Tom");
    await page.keyboard.press("Control+Enter");
    await expect(dialog).toHaveCount(0);
  });

  await test.step("its words are marked in the text", async () => {
    await untilEnded(page);
    const all = await cells(page);
    const marked = (mark: string) =>
      all
        .filter((cell) => cell.mark === mark)
        .map(({ text }) => text)
        .join("");
    expect(marked("removed")).toMatch(/^( ?Lily)+$/);
    expect(marked("reinjected")).toMatch(/^( ?Tom)+$/);
    await expect(page.locator(".summary")).toContainText("rules");
  });

  await test.step("whoever forks the shared run can edit the rules", async () => {
    const link = await sharedLink(page);
    const other = await context.newPage();
    const otherErrors = listenForErrors(other);
    await other.goto(link);
    const root = other.locator("#root");
    await other.route(/playground-entry/, async (route) => {
      await expect(root).toHaveAttribute("aria-busy", "true");
      await route.continue();
    });
    await other.getByRole("button", { name: "Open in the playground" }).click();
    await expect(root).toHaveAttribute("aria-busy", "false");
    await other.locator(".mod-name", { hasText: "rules" }).click();
    await other.getByRole("button", { name: "Edit the rules" }).click();
    const rule = other.getByRole("dialog", { name: "Rules in rules" }).getByRole("listitem");
    await expect(rule.getByLabel("Replace", { exact: true })).toHaveValue("Lily");
    await expect(rule.getByLabel("With", { exact: true })).toHaveValue("Tom");
    expect(otherErrors).toEqual([]);
  });
  expect(errors).toEqual([]);
});

test("a button names its keys on a wide page, and not on a phone", async ({ page }) => {
  await page.goto("./");
  await page.getByRole("button", { name: "Add a mod" }).click();
  await page.getByRole("button", { name: "Rules without code" }).click();
  const dialog = page.getByRole("dialog", { name: "Rules" });
  await expect(dialog.locator(".button-keys")).toBeVisible();
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(dialog.getByRole("button", { name: "Save and run" })).toBeVisible();
  await expect(dialog.locator(".button-keys")).toBeHidden();
});
