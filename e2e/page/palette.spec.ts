/** The command palette and the guide: everything by keyboard, found by typing, run and undone. */
import { axeViolations, runToEnd, textOf } from "./page.ts";
import { expect, type Page, test } from "./test.ts";

test("the palette opens over the editor too, finds, does, and gives the focus back", async ({ page }) => {
  await page.goto("./");
  await page.locator(".monaco-editor .view-line").first().click();
  await page.keyboard.press("Control+k");
  // The palette's code is still on its way.
  await page.keyboard.type("theme");
  const palette = page.getByRole("dialog", { name: "Commands" });
  const input = palette.getByRole("combobox");
  await expect(input).toBeFocused();
  await expect(input).toHaveValue("theme");
  await expect(page.locator(".monaco-editor .view-lines").first()).not.toContainText("theme");
  expect(await axeViolations(page)).toEqual([]);
  // The key closes it again, and the editor has the focus as before.
  await page.keyboard.press("Control+k");
  await expect(palette).toBeHidden();
  await expect(page.locator(".monaco-editor").first()).toHaveClass(/focused/);

  await page.keyboard.press("Control+k");
  await input.fill("theme dark");
  await expect(palette.getByRole("option").first()).toContainText("Theme: dark");
  await page.keyboard.press("Enter");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");

  await page.keyboard.press("Control+k");
  await input.fill("zzzz");
  await expect(palette.getByText("Nothing found for “zzzz”.")).toBeVisible();
  // A command that cannot run says why, and does nothing.
  await input.fill("verify");
  await expect(palette.getByRole("option", { name: "Repeat and check this run" })).toHaveAttribute(
    "aria-disabled",
    "true",
  );
  await page.keyboard.press("Enter");
  await expect(palette).toBeVisible();
  await page.keyboard.press("Escape");

  await runToEnd(page);
  await page.keyboard.press("Control+k");
  await input.fill("12");
  await page.keyboard.press("Enter");
  await expect(page.locator('[role="option"][aria-selected="true"]')).toHaveAttribute("data-index", "11");
  await page.evaluate(() => {
    window.print = () => document.documentElement.setAttribute("data-printed", "true");
  });
  await page.keyboard.press("Control+k");
  await input.fill("print");
  await page.keyboard.press("Enter");
  await expect(page.locator("html")).toHaveAttribute("data-printed", "true");
  await page.keyboard.press("Control+k");
  await input.fill("api key");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Model", exact: true })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await input.fill("show events");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("tab", { name: "Events" })).toBeFocused();
  await page.keyboard.press("Control+k");
  await input.fill("ban a token");
  await page.keyboard.press("Enter");
  await expect(page.locator(".notice")).toContainText("Ban a token is in the editor");
});

test("an example of the guide runs where it stands, gives what the guide says, and is undone", async ({
  page,
}) => {
  await page.goto("./#guide/a-first-mod");
  const guide = page.getByRole("region", { name: "Guide", exact: true });
  const heading = guide.getByRole("heading", { name: "A first mod" });
  await expect(heading).toBeInViewport();
  await expect(heading).toBeFocused();
  const example = guide.locator("[data-section=a-first-mod] .guide-example").first();
  const expected = (await example.locator(".guide-output").first().textContent()) ?? "";
  await example.getByRole("button", { name: "Run this example" }).click();
  await expect.poll(() => textOf(page)).toBe(expected);
  expect(await axeViolations(page)).toEqual([]);
  await expect(page.locator(".mod-name")).toHaveCount(3);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.locator(".mod-name")).toHaveCount(2);

  const search = guide.getByRole("searchbox");
  await search.fill("hidden tokens");
  await search.press("Enter");
  await expect(guide.getByRole("heading", { name: "Hidden tokens" })).toBeFocused();
  expect(new URL(page.url()).hash).toBe("#guide/hidden-tokens");
  await page.keyboard.press("Escape");
  await expect(guide).toBeHidden();
  await expect(page.getByRole("button", { name: "Guide" })).toBeFocused();
  expect(new URL(page.url()).hash).toBe("");
});

test("the guide's examples inside the pass open the model's layers, and give what the guide says", async ({
  page,
}) => {
  await page.goto("./#guide/inside-the-pass");
  const guide = page.getByRole("region", { name: "Guide", exact: true });
  const found = guide.locator("[data-section=inside-the-pass] .guide-example");
  await expect(found).toHaveCount(4);
  // Reading all layers writes nothing into the text: it has lines of the console alone.
  for (const place of [1, 2, 3]) {
    await page.goto("./#guide/inside-the-pass");
    const example = found.nth(place);
    const expected = (await example.locator(".guide-output").first().textContent()) ?? "";
    expect(expected).toContain(", there was a");
    await example.getByRole("button", { name: "Run this example" }).click();
    // Hidden text stands before the output, struck through.
    await expect.poll(async () => (await textOf(page)).endsWith(expected)).toBe(true);
  }
});

/** Lets no file of these pieces come until the returned function is called. */
async function holdBack(page: Page, piece: string): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(new RegExp(`/assets/${piece}-[^/]*\\.js`), async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

test("keys that are pressed before a dialog or a pane is there reach it, and Esc closes it", async ({
  page,
}) => {
  await page.goto("./");
  await page.getByRole("heading", { name: "Change what a model says" }).waitFor();
  const history = page.getByRole("button", { name: "History" });
  await test.step("history", async () => {
    const release = await holdBack(page, "history-pane");
    await page.keyboard.press("h");
    await expect(history).toHaveAttribute("aria-pressed", "true");
    await page.keyboard.type("drag");
    await page.keyboard.press("Escape");
    await expect(history).toHaveAttribute("aria-pressed", "false");
    await page.keyboard.press("h");
    await page.keyboard.type("dragon");
    release();
    const field = page.getByRole("searchbox", { name: "Search the runs" });
    await expect(field).toHaveValue("dragon");
    await page.keyboard.type("s");
    await expect(field).toHaveValue("dragons");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
  });
  await test.step("the versions of a mod", async () => {
    const release = await holdBack(page, "versions-dialog");
    await page
      .getByRole("button", { name: /^More actions for/ })
      .first()
      .click();
    await page.getByRole("button", { name: "Versions …" }).click();
    await page.keyboard.press("Escape");
    release();
    await page
      .getByRole("button", { name: /^More actions for/ })
      .first()
      .click();
    await expect(page.getByRole("dialog", { name: /^Versions of/ })).toHaveCount(0);
    await page.keyboard.press("Escape");
  });
  await test.step("the palette, to its end", async () => {
    const release = await holdBack(page, "command-palette");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("theme dark");
    await page.keyboard.press("Enter");
    release();
    await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
    await expect(page.getByRole("dialog", { name: "Commands" })).toHaveCount(0);
  });
  await test.step("a dialog with little content is short", async () => {
    await page.keyboard.press("b");
    const box = await page.getByRole("dialog", { name: "Breakpoints" }).boundingBox();
    expect(box?.height).toBeLessThan(400);
  });
});
