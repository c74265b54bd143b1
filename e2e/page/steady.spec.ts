/** Nothing moves that the user did not move, and nothing is cut off. */

import { pressRun, runToEnd } from "./page.ts";
import { expect, test } from "./test.ts";

/** What the browser says of a shift: https://wicg.github.io/layout-instability. TypeScript has no types of it. */
interface LayoutShift {
  readonly value: number;
  readonly sources: readonly LayoutShiftSource[];
}

interface LayoutShiftSource {
  readonly node: Node | null;
  readonly previousRect: DOMRectReadOnly;
  readonly currentRect: DOMRectReadOnly;
}

interface Shifts {
  readonly wraps: number;
  readonly others: number;
}

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
    const shifts = { wraps: 0, others: 0 };
    Object.assign(window, { shifts });
    // A word is written in pieces: when it outgrows its line, what stands of it goes to the next one.
    const isWrap = ({ node, previousRect, currentRect }: LayoutShiftSource) => {
      const element = node instanceof Element ? node : node?.parentElement;
      const down = currentRect.top - previousRect.top;
      return (
        Boolean(element?.closest(".ribbon")) && down > 0 && down < 60 && currentRect.left < previousRect.left
      );
    };
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as unknown as LayoutShift[]) {
        const kind = entry.sources.length > 0 && entry.sources.every(isWrap) ? "wraps" : "others";
        shifts[kind] += entry.value;
      }
    }).observe({ type: "layout-shift", buffered: false });
  });
  const before = await places();
  await expect(page.locator(".run-line p").first()).toContainText("Ended", { timeout: 60_000 });
  expect(await places()).toEqual(before);
  const { wraps, others } = await page.evaluate(() => (window as unknown as { shifts: Shifts }).shifts);
  expect(others, "all but words that wrap while they are written").toBeLessThan(0.02);
  // web.dev/cls calls 0.1 good.
  expect(others + wraps, "with them").toBeLessThan(0.1);
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
    await expect(page.getByRole("heading", { name: "Change what a model says" })).toBeInViewport();
    await expect(page.locator(".welcome-key")).toBeInViewport({ ratio: 1 });
    for (const place of ["Write", "Read", "Run"]) {
      await page.getByRole("tab", { name: place }).click();
      await fits(place);
    }
    await runToEnd(page);
    await expect(page.getByRole("tab", { name: "Read" })).toHaveAttribute("aria-selected", "true");
    await fits("after a run");
  });
}
