/** The first screen of someone who has never been here: few controls, words beside them, and examples. */
import { cells, pressRun, untilEnded } from "./page.ts";
import { expect, type Page, test } from "./test.ts";

/** Names of the controls in sight. The page's name, which leads to its start, is none. */
function controls(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const wanted =
      "button, a[href]:not(.logo), input, select, textarea, summary, [role=tab], [role=separator], [role=textbox]";
    const isSeen = (element: HTMLElement) => {
      const { width, height } = element.getBoundingClientRect();
      return (
        width > 4 &&
        height > 4 &&
        element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
      );
    };
    return [...document.querySelectorAll<HTMLElement>(wanted)]
      .filter((element) => isSeen(element) && !element.closest(".mods-editor"))
      .map((element) => element.getAttribute("aria-label") ?? element.textContent ?? "");
  });
}

async function visit(page: Page, width: number, height: number): Promise<void> {
  await page.setViewportSize({ width, height });
  // The fixture sees the cookie and leaves the storage empty, as a first visit finds it.
  await page.context().addCookies([{ name: "first-visit", value: "1", url: "http://127.0.0.1" }]);
  await page.goto("./");
  await page.locator(".welcome").waitFor();
}

for (const [width, height, most] of [
  [1440, 900, 12],
  [390, 844, 9],
] as const)
  test(`at ${width} × ${height} a first visit has at most ${most} controls, and all of them after the first run`, async ({
    page,
  }) => {
    await visit(page, width, height);
    const before = await controls(page);
    // The editor is one more on a wide page.
    expect(before.length + (width > 899 ? 1 : 0), before.join(" | ")).toBeLessThanOrEqual(most);
    expect(before).toEqual(expect.arrayContaining(["Run", "Examples", "Ban a word"]));
    await page.getByRole("button", { name: "Ban a word" }).click();
    await untilEnded(page);
    expect((await cells(page)).length).toBeGreaterThan(10);
    expect((await controls(page)).length).toBeGreaterThan(most);
    await expect(page.locator(".run-end")).toContainText("ban-word");
  });

test("“All controls” shows what the first visit hides, and a reload keeps it", async ({ page }) => {
  await visit(page, 1440, 900);
  await page.getByRole("button", { name: "All controls" }).click();
  await expect(page.getByLabel("seed", { exact: true })).toBeVisible();
  await page.reload();
  await expect(page.getByLabel("seed", { exact: true })).toBeVisible();
});

for (const [what, width, height] of [
  ["on a phone", 390, 844],
  ["at 200 % zoom of 1440 × 900", 720, 450],
] as const)
  test(`${what} the text has half of the height, also before anyone scrolls`, async ({ page }) => {
    await visit(page, width, height);
    await pressRun(page);
    await untilEnded(page);
    const box = await page.locator(".ribbon-frame").boundingBox();
    expect(box?.height ?? 0).toBeGreaterThanOrEqual(height / 2);
    expect(box?.y ?? height).toBeLessThanOrEqual(height / 2);
  });

test("on a phone a tap on a word brings the sentence about the word into sight, and examples stay in the bar", async ({
  browser,
  baseURL,
}) => {
  const context = await browser.newContext({
    ...(baseURL && { baseURL }),
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    isMobile: true,
  });
  const page = await context.newPage();
  await page.goto("./");
  await pressRun(page);
  await untilEnded(page);
  await page.locator(".cell-removed").first().tap();
  const sentence = page.locator(".inspector-head p");
  await expect(sentence).toContainText("Removed by swap-name");
  await expect(sentence).toBeInViewport({ ratio: 1 });
  await expect(page.locator(".cell-removed").first()).toBeInViewport();
  const model = await page.locator(".model-button").boundingBox();
  const examples = await page.getByRole("button", { name: "Examples", exact: true }).boundingBox();
  expect(Math.abs((model?.y ?? 0) - (examples?.y ?? 99))).toBeLessThan(8);
  // No other part with a field has been opened: the style of fields does not come with such a part.
  await page.getByRole("button", { name: "Examples", exact: true }).tap();
  await expect(page.locator(".gallery-search input")).toHaveCSS("border-top-style", "solid");
  await page.keyboard.press("Escape");
  await page.screenshot({ path: "test-results/phone-tapped.png" });
  await context.close();
});

test("on a narrow page the step of a word that a mouse clicks begins in sight, right below the text", async ({
  page,
}) => {
  await visit(page, 360, 740);
  await pressRun(page);
  await untilEnded(page);
  await page.locator(".cell-removed").first().click();
  await expect(page.locator(".inspector-head p")).toBeInViewport({ ratio: 1 });
  const [line, panels] = await Promise.all(
    [".run-line", ".read-panels"].map((part) => page.locator(part).boundingBox()),
  );
  expect((panels?.y ?? 0) - ((line?.y ?? 0) + (line?.height ?? 0))).toBeLessThan(4);
  // From the panels below the text, Run leads to the text.
  await page.locator(".read-panels").evaluate((element) => element.scrollIntoView());
  await expect(page.locator(".read-head")).not.toBeInViewport();
  await pressRun(page);
  await untilEnded(page);
  await expect(page.locator(".read-head")).toBeInViewport({ ratio: 1 });
});
