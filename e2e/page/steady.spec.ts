/** Nothing moves that the user did not move, and nothing is cut off. */

import { pressRun, runToEnd, untilEnded } from "./page.ts";
import { expect, test } from "./test.ts";

/** The browser's entry for a layout shift: https://wicg.github.io/layout-instability. TypeScript has no types of it. */
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
  /** The sum of all shifts, without the words in `wrapped`. */
  readonly sum: number;
  /** Words that went to the next line because they outgrew theirs while they were written: how often, by the number of their first token. */
  readonly wrapped: Readonly<Record<number, number>>;
}

test("no layout shift while tokens stream", async ({ page }) => {
  await page.goto("./");
  await page.locator(".monaco-editor .view-line").first().waitFor();
  await pressRun(page);
  await page.locator("[data-index]").first().waitFor();
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
    const shifts = { sum: 0, wrapped: {} as Record<number, number> };
    Object.assign(window, { shifts });
    const elementOf = ({ node }: LayoutShiftSource) => (node instanceof Element ? node : node?.parentElement);
    const tokenAt = (index: number) => document.querySelector(`[data-index="${index}"]`);
    /** The first token of the word that a token belongs to: words are parted by white space. */
    const wordOf = (index: number): number => {
      const isBegun = /^\s/.test(tokenAt(index)?.textContent ?? "");
      const before = tokenAt(index - 1)?.textContent ?? " ";
      return isBegun || /\s$/.test(before) ? index : wordOf(index - 1);
    };
    /** The one word, with the caret behind it, that went to the next line; null for any other shift. */
    const wrappedWord = (sources: readonly LayoutShiftSource[]): number | null => {
      const words = new Set<number>();
      for (const source of sources) {
        if (elementOf(source)?.matches(".caret")) continue;
        const down = source.currentRect.top - source.previousRect.top;
        const token = elementOf(source)?.closest<HTMLElement>("[data-index]");
        if (!token || down <= 0 || down >= 60) return null;
        words.add(wordOf(Number(token.dataset.index)));
      }
      const [word] = words;
      return words.size === 1 && word !== undefined ? word : null;
    };
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as unknown as LayoutShift[]) {
        const word = wrappedWord(entry.sources);
        if (word === null) shifts.sum += entry.value;
        else shifts.wrapped[word] = (shifts.wrapped[word] ?? 0) + 1;
      }
    }).observe({ type: "layout-shift", buffered: false });
  });
  const before = await places();
  await untilEnded(page);
  expect(await places()).toEqual(before);
  const { sum, wrapped } = await page.evaluate(() => (window as unknown as { shifts: Shifts }).shifts);
  expect(sum, "all but words that outgrow their line while they are written").toBeLessThan(0.02);
  for (const [word, times] of Object.entries(wrapped)) expect(times, `word ${word} moves once`).toBe(1);
});

test("works on narrow pages without scrolling sideways", async ({ page }) => {
  const widths = [360, 390, 899];
  const resize = (width: number) => page.setViewportSize({ width, height: 740 });
  const fits = async (what: string) => {
    const wide = await page.evaluate(() =>
      [document.documentElement, document.body].map((element) => element.scrollWidth - element.clientWidth),
    );
    expect(wide, what).toEqual([0, 0]);
    const out = await page.evaluate(() =>
      [...document.querySelectorAll("button, input, textarea, select, [role=tab]")]
        // Elements that scroll sideways in a line of their own may extend beyond the window.
        .filter((element) => !element.closest(".monaco-editor, .mod-list"))
        .filter((element) => element.checkVisibility())
        .filter((element) => element.getBoundingClientRect().right > innerWidth + 0.5)
        .map((element) => element.outerHTML.slice(0, 120)),
    );
    expect(out, what).toEqual([]);
  };
  await resize(360);
  await page.goto("./");
  for (const width of widths) {
    await resize(width);
    await expect(page.getByRole("heading", { name: "Change what a model says" })).toBeInViewport();
    await expect(page.locator(".welcome .mark-list")).toBeInViewport({ ratio: 1 });
  }
  for (const place of ["Write", "Read", "Run"]) {
    await page.getByRole("tab", { name: place }).click();
    for (const width of widths) {
      await resize(width);
      await fits(`${place} at ${width} px`);
    }
  }
  await runToEnd(page);
  await expect(page.getByRole("tab", { name: "Read" })).toHaveAttribute("aria-selected", "true");
  // Its code is fetched when the run ends; from then on the summary takes the height that it needs.
  await expect(page.getByRole("region", { name: "End of the run" })).toBeVisible();
  for (const width of widths) {
    await resize(width);
    await fits(`after a run, at ${width} px`);
    if (width > 400) continue;
    // The counts of both mods and the end of the run are in sight without a scroll of their own.
    for (const selector of [".summary", ".ribbon-scroll"])
      expect(
        await page
          .locator(selector)
          .evaluate((box) => [box.scrollWidth - box.clientWidth, box.scrollHeight - box.clientHeight]),
        `${selector} at ${width} px`,
      ).toEqual([0, 0]);
  }
});

test("the bar stays in place when the label of the seed says that the seed is that of the next run", async ({
  page,
}) => {
  await page.goto("./");
  await runToEnd(page);
  const run = page.locator(".bar-run");
  const before = await run.boundingBox();
  await page.locator("#seed").fill("43");
  await expect(page.locator(".seed label")).toHaveText("next seed");
  expect(await run.boundingBox()).toEqual(before);
});
