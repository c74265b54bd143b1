/** The charts share the selection of every other view: by pointer, by keyboard, in words. */
import { axeViolations, inEachLook, listenForErrors, runToEnd, sharedLink } from "./page.ts";
import { expect, type Page, test } from "./test.ts";

const chart = (page: Page, name: string) => page.getByRole("slider", { name });
const selected = (page: Page) => page.locator('[role="option"][aria-selected="true"]');

test("charts of a run, and what is selected in them", async ({ page }) => {
  const errors = listenForErrors(page);
  await page.goto("./");
  await runToEnd(page);
  await page.getByRole("tab", { name: "Charts" }).click();
  const names = ["Probability and entropy", "Time per token", "Tokens per second", "Shares of kinds"];
  for (const name of names) {
    await expect(chart(page, name)).toHaveAttribute("aria-valuetext", /^Token \d+: \w+ /);
    const drawn = chart(page, name).locator("path.recharts-area-curve, path.recharts-area-area").first();
    await expect(drawn, `${name} is drawn`).toHaveAttribute("d", /^M[\d., -]+/);
  }

  await test.step("keys select, in every view", async () => {
    await chart(page, "Time per token").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Shift+ArrowRight");
    const many = await selected(page).count();
    expect(many).toBeGreaterThan(2);
    await expect(chart(page, "Time per token")).toHaveAttribute("aria-valuenow", String(many));
    await expect(chart(page, "Shares of kinds")).toHaveAttribute(
      "aria-valuetext",
      new RegExp(`^Tokens 1 to ${many}: sampled [\\d.]+ %`),
    );
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
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    if (size) await page.setViewportSize(size);
  });

  await test.step("a link without times says so, and has the other charts", async () => {
    await page.goto(await sharedLink(page));
    // The page stays, and with it the run's own tabs, until the link is read.
    await page.getByText("Recorded by someone else.").waitFor();
    await page.getByRole("tab", { name: "Charts" }).click();
    await expect(page.getByText("This record has no times.")).toBeVisible();
    await expect(page.locator(".chart")).toHaveCount(2);
  });
  expect(errors).toEqual([]);
});
