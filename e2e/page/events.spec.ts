/** The event list in the whole page. src/view/timeline/events/events-table.component.test.tsx tests its filter and keys. */
import { axeViolations, inEachLook, listenForErrors, runToEnd, sharedLink } from "./page.ts";
import { expect, type Page, test } from "./test.ts";

const field = (page: Page) => page.getByRole("combobox", { name: "Filter events" });
const counted = (page: Page) => page.locator(".events-count");
const active = (page: Page) => page.locator(".event-table tr[aria-selected=true]");

test("a filtered row leads to its token, and filters are kept", async ({ page }) => {
  const errors = listenForErrors(page);
  await page.goto("./");
  await runToEnd(page);
  await page.getByRole("tab", { name: "Events" }).click();
  await expect(counted(page)).toHaveText(/^\d+ rows$/);

  await test.step("a row leads to its token and to its record", async () => {
    await field(page).fill("/^(a+)+$|replacement “/");
    await expect(counted(page)).toHaveText(/^\d of \d+ rows$/);
    await field(page).press("Enter");
    await page.keyboard.press("Home");
    await expect(active(page)).toContainText("replacement “");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("region", { name: "Raw record" })).toContainText('"source": "reinjected"');
    await expect(page.locator('[role="option"][data-index][aria-selected="true"]')).toHaveClass(
      /cell-reinjected/,
    );
  });

  await test.step("no axe violations in the tree with a record", async () => {
    await page.getByRole("radio", { name: "Tree" }).focus();
    await page.keyboard.press("Space");
    await field(page).fill("action:backtrack");
    await expect(counted(page)).toHaveText(/^\d of \d+ rows$/);
    await field(page).press("Enter");
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await expect(active(page)).toHaveAttribute("aria-expanded", "true");
    await inEachLook(page, async (look) => expect(await axeViolations(page), look).toEqual([]));
  });

  await test.step("a filter that was saved is there after a reload, and in a link’s view; deleting can be undone", async () => {
    await page.getByRole("button", { name: "Saved filters" }).click();
    await page.getByLabel("Save this filter as").fill("taken back");
    await page.keyboard.press("Enter");
    await expect(page.getByText("Saved the filter “taken back”.")).toBeVisible();
    await page.goto(await sharedLink(page));
    // The page stays, and with it the run's own tabs, until the link is read.
    await page.getByText("Recorded by someone else.").waitFor();
    await page.getByRole("tab", { name: "Events" }).click();
    await page.getByRole("button", { name: "Saved filters" }).click();
    await page.getByRole("button", { name: "Delete the filter “taken back”" }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Saved filters" }).click();
    await page.getByRole("button", { name: "taken back action:backtrack" }).click();
    await expect(field(page)).toHaveValue("action:backtrack");
    await expect(counted(page)).toHaveText(/^\d of \d+ rows$/);
  });

  await test.step("nothing is cut off on a narrow page", async () => {
    const size = page.viewportSize();
    await page.setViewportSize({ width: 360, height: 740 });
    await page.getByRole("button", { name: "Raw record", exact: true }).click();
    expect(await axeViolations(page)).toEqual([]);
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    if (size) await page.setViewportSize(size);
  });
  expect(errors).toEqual([]);
});
