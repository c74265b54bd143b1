/** A run, branches of it, their tree, and two of them side by side: with the mouse, by keys alone, from the address, and when one is gone. */
import { axeViolations, cells, keptRuns, listenForErrors, runToEnd, untilEnded } from "./page.ts";
import { expect, type Page, test } from "./test.ts";

const treeLines = (page: Page) => page.getByRole("treeitem");
const cursor = (page: Page) => page.locator(".compare-text .cell-cursor");
const compared = (page: Page) => page.getByRole("listbox", { name: "Both outputs, word by word" });

async function branchAt(page: Page, at: number): Promise<void> {
  expect(at, "a token that the model chose freely").toBeGreaterThan(-1);
  const before = (await keptRuns(page)).listed.length;
  await page.locator(`[data-index="${at}"]`).first().click();
  await page.locator(".alternative-take").first().click();
  await untilEnded(page);
  await expect.poll(async () => (await keptRuns(page)).listed.length).toBe(before + 1);
}

test("a branch and the run it came from, side by side; the tree that they stand in", {
  tag: "@daily",
}, async ({ page }) => {
  const errors = listenForErrors(page);
  await page.goto("./");
  await runToEnd(page);
  await expect.poll(async () => (await keptRuns(page)).listed.length).toBe(1);
  const before = await cells(page);

  await test.step("an address that names a run which is not kept says so, and Close shows the run", async () => {
    await page.goto("./?compare=nowhere");
    await expect(page.locator(".compare-none")).toContainText("not saved in this browser");
    await page.getByRole("button", { name: "Close" }).click();
    await expect(page.getByRole("listbox", { name: "Tokens" })).toBeVisible();
    expect(new URL(page.url()).searchParams.has("compare")).toBe(false);
    await expect.poll(() => cells(page)).toEqual(before);
  });
  const at = before.findIndex(({ mark }, index) => index > 40 && mark === "plain");
  await branchAt(page, at);
  // Removed tokens are not compared.
  const branch = await cells(page);
  const [older, newer] = [before, branch].map((all) => all.filter(({ mark }) => mark !== "removed"));
  const column = (older ?? []).findIndex(({ text }, place) => text !== newer?.[place]?.text);

  await test.step("one click compares it with the run it came from, and shows where they part", async () => {
    await expect(page.locator(".family-line p")).toContainText(`at token ${at + 1}.`);
    await page.getByRole("button", { name: "Compare with that run" }).click();
    await expect(compared(page)).toBeVisible();
    await expect(page.locator(".compare-tools")).toContainText(`The first ${column} tokens are identical.`);
    await expect(page.locator(".compare-divergence .cell-cursor")).toHaveCount(2);
    const wordsAtCursor = async () =>
      (await cursor(page).locator(".word").allTextContents()).map((word) => word.trim());
    await expect.poll(wordsAtCursor).toEqual([older, newer].map((all) => all?.[column]?.text.trim()));
    await expect(page).toHaveURL(/[?&]compare=/);
    await expect(page.locator(".compare-fold").first()).toContainText("tokens are the same in both");
    await expect(page.getByRole("table", { name: "Both runs in numbers" })).toContainText(
      "Same settings, seed and mods.",
    );
  });

  await test.step("no axe violations: light, dark, forced colours", async () => {
    for (const media of [
      { colorScheme: "light" },
      { colorScheme: "dark" },
      { colorScheme: "light", forcedColors: "active" },
    ] as const) {
      await page.emulateMedia({ ...media, reducedMotion: "reduce" });
      expect(await axeViolations(page), JSON.stringify(media)).toEqual([]);
    }
    await page.emulateMedia({ colorScheme: "light", forcedColors: "none" });
  });

  await test.step("keys: the next difference, both cursors, what is folded, and Back", async () => {
    await compared(page).focus();
    await page.keyboard.press("ArrowLeft");
    await expect(page.getByRole("button", { name: "Next difference (n)" })).toBeEnabled();
    await expect(cursor(page)).toHaveCount(2);
    await page.keyboard.press("n");
    await expect(page.locator(".compare-divergence .cell-cursor")).toHaveCount(2);
    await page.keyboard.press("Home");
    await expect(page.locator(".compare-fold.cell-cursor")).toBeVisible();
    await expect(compared(page)).toHaveAttribute(
      "aria-activedescendant",
      (await page.locator(".compare-fold.cell-cursor").getAttribute("id")) ?? "",
    );
    await page.keyboard.press("Enter");
    await expect(cursor(page)).toHaveCount(2);
    await expect(cursor(page).first()).toHaveAttribute("aria-label", /^A, token 1, .*the same in both/);
    await page.reload();
    await expect(compared(page)).toBeVisible();
    await expect(cursor(page).or(page.locator(".compare-fold.cell-cursor")).first()).toBeVisible();
    await page.goBack();
    await expect(compared(page)).toHaveCount(0);
    await expect(page.getByRole("listbox", { name: "Tokens" })).toBeVisible();
    expect(new URL(page.url()).searchParams.has("compare")).toBe(false);
  });

  await test.step("a branch of the branch: the tree is walked, named and compared without a mouse", async () => {
    // Back came from a page that was loaded anew: the tokens of the branch are read once all are drawn.
    await expect.poll(() => cells(page)).toEqual(branch);
    const later = branch.findIndex(({ mark }, index) => index > at + 10 && mark === "plain");
    await branchAt(page, later);
    await page.getByRole("button", { name: "Branch tree" }).press("Enter");
    await expect(treeLines(page)).toHaveCount(3);
    expect(
      await treeLines(page).evaluateAll((lines) => lines.map((line) => line.getAttribute("aria-level"))),
    ).toEqual(["1", "2", "3"]);
    await expect(treeLines(page).nth(2)).toContainText(`at token ${later + 1}`);
    expect(await axeViolations(page)).toEqual([]);
    const tree = page.getByRole("tree");
    await tree.focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("F2");
    await page.getByLabel("Name of the branch").fill("The second try");
    await page.keyboard.press("Enter");
    await expect(treeLines(page).nth(1)).toContainText("The second try");
    await expect(tree).toBeFocused();
    await page.keyboard.press("Home");
    await page.keyboard.press("c");
    await expect(compared(page)).toBeVisible();
    await page.getByRole("button", { name: "Close" }).press("Enter");
    await expect(compared(page)).toHaveCount(0);
  });

  await test.step("pruned with all below it, put back; and without the run it came from", async () => {
    await page.getByRole("button", { name: "Branch tree" }).click();
    await treeLines(page).first().click();
    await expect(page.locator(".family-line p")).toContainText("2 runs branch off this run.");
    await page.getByRole("tree").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Delete");
    await page.getByRole("button", { name: "Delete this run and the 1 run below it" }).click();
    await expect(page.getByText("2 runs deleted.")).toBeVisible();
    await expect(page.locator(".family-bar")).toHaveCount(0);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(treeLines(page)).toHaveCount(3);
    await treeLines(page).nth(2).click();
    await expect(page.locator(".family-line p")).toContainText("This run branches off “The second try”");
    await page.getByRole("tree").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("Delete");
    await page.getByRole("button", { name: "Delete this run", exact: true }).click();
    await expect(treeLines(page).first()).toContainText("The original run was deleted");
  });

  await test.step("any two runs of the history", async () => {
    await page.getByRole("button", { name: "History" }).click();
    await page.getByRole("button", { name: "Compare with …" }).click();
    await expect(page.getByText("Choose the run to compare with")).toBeVisible();
    await page.getByRole("option").filter({ hasText: "The second try" }).click();
    await expect(compared(page)).toBeVisible();
    expect(await axeViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    await expect(compared(page)).toBeVisible();
    expect(await axeViolations(page)).toEqual([]);
    const [left, right] = await page.locator(".compare-divergence .compare-side").all();
    const [above, below] = [await left?.boundingBox(), await right?.boundingBox()];
    expect(above && below && above.y + above.height <= below.y).toBe(true);
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  });
  expect(errors).toEqual([]);
});
