/** The charts as they are drawn, and by pointer. Words and keys: src/view/timeline/charts/charts-panel.component.test.tsx. */
import { axeViolations, inEachLook, listenForErrors, runToEnd } from "./page.ts";
import { expect, type Page, test } from "./test.ts";

const chart = (page: Page, name: string) => page.getByRole("slider", { name });
const selected = (page: Page) => page.locator('[role="option"][aria-selected="true"]');

test("charts of a run, and what is selected in them", async ({ page }) => {
  const errors = listenForErrors(page);
  await page.goto("./");
  await runToEnd(page);
  await page.getByRole("tab", { name: "Charts" }).click();
  const names = ["Probability", "Entropy", "Time per token", "Tokens per second", "Tokens by kind"];
  for (const name of names) {
    const drawn = chart(page, name).locator("path.recharts-area-curve, path.recharts-area-area").first();
    await expect(drawn, `${name} is drawn`).toHaveAttribute("d", /^M[\d., -]+/);
  }

  await test.step("keys select, in every view", async () => {
    await chart(page, "Time per token").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("Shift+ArrowDown");
    await expect.poll(() => selected(page).count()).toBeGreaterThan(1);
    await expect(page.locator(".recharts-reference-area-rect")).toHaveCount(names.length);
    await page.keyboard.press("End");
    await expect(selected(page)).toHaveCount(1);
  });

  await test.step("a drag selects what lies under it", async () => {
    await chart(page, "Tokens per second").scrollIntoViewIfNeeded();
    const axis = await chart(page, "Tokens per second").locator(".recharts-xAxis line").first().boundingBox();
    if (!axis) throw new Error("The chart has no axis.");
    const count = Number(await chart(page, "Tokens per second").getAttribute("aria-valuemax"));
    await page.mouse.move(axis.x + axis.width * 0.25, axis.y - 20);
    await page.mouse.down();
    await page.mouse.move(axis.x + axis.width * 0.5, axis.y - 20, { steps: 3 });
    await page.mouse.up();
    const ends = () =>
      selected(page).evaluateAll((cells) =>
        [cells[0], cells.at(-1)].map((cell) => Number((cell as HTMLElement | undefined)?.dataset.index)),
      );
    // The page draws the drag when it finds the time.
    await expect
      .poll(async () => Math.abs(((await ends())[1] ?? Number.NaN) - count * 0.5))
      .toBeLessThanOrEqual(2);
    expect(Math.abs(((await ends())[0] ?? Number.NaN) - count * 0.25)).toBeLessThanOrEqual(2);
  });

  await test.step("no axe violations; nothing is cut off on a narrow page", async () => {
    await inEachLook(page, async (look) => {
      expect(await axeViolations(page), look).toEqual([]);
    });
    const size = page.viewportSize();
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await axeViolations(page), "narrow").toEqual([]);
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    if (size) await page.setViewportSize(size);
  });
  expect(errors).toEqual([]);
});
