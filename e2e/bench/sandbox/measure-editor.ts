/** The time that hostile sources cost the built page in Chromium while its editor shows them and someone types in them. */

import type { Browser, Page } from "playwright-core";
import { largestSource } from "../../../src/runtime/sandbox/compiled-mod.ts";
import { invalidSource } from "../../../src/runtime/sandbox/testing/invalid-sources.ts";
import { beginAsLaterVisit } from "../../later-visit.ts";
import { withBuiltPage } from "../built-page.ts";
import { type BenchRow, figure, timeAtMost } from "../machine.ts";
import { longestTask, watchTasks } from "./page-tasks.ts";

const filled = (unit: string) => unit.repeat(Math.floor(largestSource / unit.length));

/** A megabyte each of what an editor colours, pairs, measures, wraps or warns of. */
const hostileTexts: readonly (readonly [name: string, source: string])[] = [
  ...[
    "(",
    "(\n",
    "{\n",
    "/*",
    "`$" + "{",
    " ",
    "\n",
    "a",
    "\t\t\ta\n",
    "// a\n",
    "/[[((\\\\/",
    "😀",
    "\u202e",
  ].map((unit) => [`of ${JSON.stringify(unit)}`, filled(unit)] as const),
  ...["(", "<T>(", "a\u200b", "а", "مرحبا ", "\\x"].map(
    (unit) => [`of lines of ${JSON.stringify(unit)}`, filled(`${unit.repeat(4000)}\n`)] as const,
  ),
  ...[1, 2, 3, 4, 5, 6].map(
    (seed) => [`of seed ${seed}`, invalidSource(seed, "long", largestSource)] as const,
  ),
  // Just short enough for colours.
  ...["(", "(\n", "{\n", "`$" + "{", `${"<T>(".repeat(4000)}\n`].map(
    (unit) => [`64 KB of ${JSON.stringify(unit.slice(0, 9))}`, unit.repeat(65_536 / unit.length)] as const,
  ),
];

/** A megabyte each of what compiles, beside a mod. */
const runnable = ["\n", "// a\n", ";", "/*😀*/", "x=>x;\n", `// ${"a".repeat(4000)}\n`].map(
  (unit) =>
    [
      `a mod and ${JSON.stringify(unit.slice(0, 9))}`,
      `import { mod } from "midtoken/mod";\nexport default mod({ added() {} });\n${unit.repeat(Math.floor((largestSource - 100) / unit.length))}`,
    ] as const,
);

interface Shown {
  readonly name: string;
  /** Milliseconds of the longest task of the page's thread; 0 if none took 50. */
  readonly opened: number;
  readonly written: number;
}

/** Rows about a mod with nothing in it, and the worst of the hostile ones. */
export async function editorRows(): Promise<BenchRow[]> {
  return withBuiltPage(async (browser, address) => {
    const plain = await show(browser, address, "a mod of one line", "export default 1;");
    const all: Shown[] = [];
    for (const [name, source] of hostileTexts) all.push(await show(browser, address, name, source));
    const ran: { name: string; ms: number }[] = [];
    for (const [name, source] of runnable) ran.push({ name, ms: await runIt(browser, address, source) });
    const slowest = ran.reduce((most, each) => (each.ms > most.ms ? each : most));
    const worst = (of: "opened" | "written") =>
      all.reduce((most, each) => (each[of] > most[of] ? each : most));
    const [opened, written] = [worst("opened"), worst("written")];
    return [
      await timeAtMost(
        `source of 1 MB opened in the editor: longest task (${opened.name})`,
        opened.opened,
        "ms",
        100,
      ),
      await timeAtMost(
        `  its end gone to, and a letter written (${written.name})`,
        written.written,
        "ms",
        100,
      ),
      await timeAtMost(`  run, read and kept: longest task (${slowest.name})`, slowest.ms, "ms", 100),
      figure(`  ${plain.name}, for comparison: opened`, plain.opened, "ms"),
      figure(`  ${plain.name}, for comparison: written in`, plain.written, "ms"),
    ];
  });
}

/** The page with a mod of this source among its own, not shown. */
async function withMod<Answer>(
  browser: Browser,
  address: string,
  source: string,
  measure: (page: Page) => Promise<Answer>,
): Promise<Answer> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await beginAsLaterVisit(page);
  try {
    await watchTasks(page);
    await page.goto(address);
    await page.evaluate(keepMods, source);
    await page.goto(address);
    return await measure(page);
  } finally {
    await page.close();
  }
}

function show(browser: Browser, address: string, name: string, source: string): Promise<Shown> {
  return withMod(browser, address, source, async (page) => {
    const line = page.locator(".monaco-editor .view-line").first();
    await line.waitFor();
    // The type checker starts when someone points at a source: here before anything is measured.
    await line.click();
    await page.waitForTimeout(3000);
    await longestTask(page);
    await page.locator(".mod-name", { hasText: "hostile" }).click();
    await page.waitForTimeout(1000);
    const opened = await longestTask(page);
    await page.locator(".monaco-editor .view-lines").click({ position: { x: 5, y: 5 } });
    await page.keyboard.press("Control+End");
    await page.keyboard.press("x");
    await page.waitForTimeout(1000);
    const shown = { name, opened, written: await longestTask(page) };
    if (Math.max(shown.opened, shown.written) > 100) console.error(JSON.stringify(shown));
    return shown;
  });
}

/** The longest task of the page's thread while a mod of this source is run, shown and kept. */
function runIt(browser: Browser, address: string, source: string): Promise<number> {
  return withMod(browser, address, source, async (page) => {
    const run = page.locator(".run-controls").getByRole("button", { name: "Run" });
    const ended = page.locator(".run-line p", { hasText: "Ended" });
    // Once before, so that the model and the code are there.
    await page.getByRole("checkbox", { name: "Include hostile in the next run" }).uncheck();
    await run.click();
    await ended.first().waitFor({ timeout: 120_000 });
    await page.getByRole("checkbox", { name: "Include hostile in the next run" }).check();
    await page.waitForTimeout(3000);
    await longestTask(page);
    await run.click();
    // It ends, or its mod is refused: then the button says Run again.
    await run.waitFor({ state: "hidden" });
    await run.waitFor({ timeout: 120_000 });
    await page.waitForTimeout(2000);
    return longestTask(page);
  });
}

/** Two mods in the browser's storage; the editor shows the other one. */
function keepMods(source: string): void {
  localStorage.clear();
  sessionStorage.clear();
  const keep = (key: string, value: object) => localStorage.setItem(key, JSON.stringify(value));
  keep("midtoken.mod.v2.hostile", { name: "hostile", source, needs: null, entry: null });
  keep("midtoken.mod.v2.other", { name: "other", source: "// nothing", needs: null, entry: null });
  keep("midtoken.desk.v2", { order: ["hostile", "other"], enabled: ["hostile"], active: "other" });
}
