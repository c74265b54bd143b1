/** The event list: filtered in its own language, as a table and as a tree, with raw records and filters that stay. */
import { axeViolations, inEachLook, listenForErrors, runToEnd, sharedLink } from "./page.ts";
import { expect, type Page, test } from "./test.ts";

const field = (page: Page) => page.getByRole("combobox", { name: "Filter events" });
const counted = (page: Page) => page.locator(".events-count");
const active = (page: Page) => page.locator(".event-table tr[aria-selected=true]");

test("events are filtered, opened, looked at and kept by keys", async ({ page }) => {
  const errors = listenForErrors(page);
  await page.goto("./");
  await runToEnd(page);
  await page.getByRole("tab", { name: "Events" }).click();
  await expect(counted(page)).toHaveText(/^\d+ rows$/);

  await test.step("calls that answered nothing are hidden until asked", async () => {
    const before = Number.parseInt(await counted(page).innerText(), 10);
    const button = page.getByRole("button", { name: /^Show \d+ silent calls$/ });
    const silent = Number.parseInt((await button.innerText()).slice(5), 10);
    await button.click();
    await expect(counted(page)).toHaveText(`${before + silent} rows`);
    await page.getByRole("button", { name: "Hide silent calls" }).click();
    await expect(counted(page)).toHaveText(`${before} rows`);
  });

  await test.step("a filter is completed, and what is wrong is said on its character", async () => {
    await page.getByRole("grid").press("/");
    await expect(field(page)).toBeFocused();
    await page.keyboard.type("ki");
    await expect(page.getByRole("option", { name: /^kind:/ })).toHaveAttribute("aria-selected", "true");
    await page.keyboard.press("Enter");
    await page.keyboard.type("reinj");
    await page.keyboard.press("Tab");
    await expect(field(page)).toHaveValue("kind:reinjected ");
    await expect(counted(page)).toHaveText(/^\d of \d+ rows$/);
    await page.keyboard.type("p<lots");
    await expect(page.locator(".filter-problem")).toHaveText("Character 19: “lots” is no number: p<0.1");
    await field(page).fill("/a(?=b)/");
    await expect(page.locator(".filter-problem")).toContainText(/^Character \d: .*look/i);
    await field(page).fill("/^(a+)+$|put in place '/");
    await expect(counted(page)).toHaveText(/^\d of \d+ rows$/);
    await expect(page.locator(".event-what").first()).toContainText("put in place '");
  });

  await test.step("a row leads to its token and to its record", async () => {
    await field(page).press("Enter");
    await page.keyboard.press("Home");
    await expect(active(page)).toContainText("put in place '");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("region", { name: "Raw record" })).toContainText('"source": "reinjected"');
    await expect(page.locator('[role="option"][data-index][aria-selected="true"]')).toHaveClass(
      /cell-reinjected/,
    );
  });

  await test.step("the tree opens from the event to the call to its action", async () => {
    await page.getByRole("radio", { name: "Tree" }).focus();
    await page.keyboard.press("Space");
    await field(page).fill("action:backtrack");
    // Rows of the filter before have nothing to open.
    await expect(page.locator(".event-table tr[aria-level='1']").first()).toHaveAttribute(
      "aria-expanded",
      "false",
    );
    await expect(counted(page)).toHaveText(/^\d of \d+ rows$/);
    await field(page).press("Enter");
    await page.keyboard.press("Home");
    for (let level = 1; level < 3; level += 1) {
      await expect(active(page)).toHaveAttribute("aria-level", String(level));
      await expect(active(page)).toHaveAttribute("aria-expanded", "false");
      await page.keyboard.press("ArrowRight");
      await expect(active(page)).toHaveAttribute("aria-expanded", "true");
      await page.keyboard.press("ArrowRight");
    }
    await expect(active(page)).toContainText('"type":"backtrack"');
    await page.keyboard.press("ArrowLeft");
    await expect(active(page)).toHaveAttribute("aria-level", "2");
    await expect(page.getByRole("region", { name: "Raw record" })).toContainText('"modCall"');
  });

  await test.step("no axe violations", async () => {
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
    await page.getByRole("button", { name: "Record", exact: true }).click();
    expect(await axeViolations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    if (size) await page.setViewportSize(size);
  });
  expect(errors).toEqual([]);
});
