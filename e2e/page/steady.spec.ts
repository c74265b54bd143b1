/** Nothing moves that the user did not move, and nothing is cut off. */
import { expect, test } from "@playwright/test";
import { pressRun, runToEnd } from "./page.ts";

test("no layout shift while tokens stream", async ({ page }) => {
  await page.goto("./");
  await page.locator(".monaco-editor .view-line").first().waitFor();
  await pressRun(page);
  await page.locator("[data-index]").first().waitFor({ timeout: 60_000 });
  const parts = [
    ".overview",
    ".summary",
    ".ribbon-scroll",
    ".read-panels",
    ".bar",
    ".conversation",
    ".run-line",
  ];
  const places = () =>
    page.evaluate(
      (selectors) =>
        selectors.map((selector) => {
          const box = document.querySelector(selector)?.getBoundingClientRect();
          return box && [selector, box.x, box.y, box.width, box.height].join(" ");
        }),
      parts,
    );
  await page.evaluate(() => {
    const seen: number[] = [];
    Object.assign(window, { shifts: seen });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) seen.push((entry as unknown as { value: number }).value);
    }).observe({ type: "layout-shift", buffered: false });
  });
  const before = await places();
  await expect(page.locator(".run-line p").first()).toContainText("Ended", { timeout: 60_000 });
  expect(await places()).toEqual(before);
  const shifts = await page.evaluate(() => (window as unknown as { shifts: number[] }).shifts);
  // What moves is the last word of a line, which goes to the next one when its second half comes: up to 0.03 a time,
  // by how many tokens a frame brings. 0.1 is what web.dev/cls calls good; panes are held to the pixel above.
  expect(shifts.reduce((sum, value) => sum + value, 0)).toBeLessThan(0.1);
});

for (const width of [360, 390, 899]) {
  test(`works at ${width} px without scrolling sideways`, async ({ page }) => {
    await page.setViewportSize({ width, height: 740 });
    await page.goto("./");
    const fits = async (what: string) => {
      const wide = await page.evaluate(() =>
        [document.documentElement, document.body].map((element) => element.scrollWidth - element.clientWidth),
      );
      expect(wide, what).toEqual([0, 0]);
      const out = await page.evaluate(() =>
        [...document.querySelectorAll("button, input, textarea, select, [role=tab]")]
          .filter((element) => element.checkVisibility() && !element.closest(".monaco-editor, .mod-list"))
          .filter((element) => element.getBoundingClientRect().right > innerWidth + 0.5)
          .map((element) => element.outerHTML.slice(0, 120)),
      );
      expect(out, what).toEqual([]);
    };
    for (const place of ["Write", "Read", "Run"]) {
      await page.getByRole("tab", { name: place }).click();
      await fits(place);
    }
    await runToEnd(page);
    await expect(page.getByRole("tab", { name: "Read" })).toHaveAttribute("aria-selected", "true");
    await fits("after a run");
  });
}
