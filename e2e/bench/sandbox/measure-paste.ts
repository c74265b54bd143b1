/** The time that a paste of 1 MB costs the built page in Chromium: in the editor of a mod and in the prompt's field. */
import type { Browser, Page } from "playwright-core";
import { maxShownProblems } from "../../../src/page/app/editor/shown-problems.ts";
import { editorLimits } from "../../../src/page/app/store/editor-limits.ts";
import { beginAsLaterVisit } from "../../later-visit.ts";
import { withBuiltPage } from "../built-page.ts";
import { atMost, type BenchRow, timeAtMost } from "../machine.ts";
import { slowestKey, watchTasks } from "./page-tasks.ts";
import { pasteTexts } from "./paste-texts.ts";
import { type Task, traceLongestTask } from "./task-trace.ts";

interface Pasted {
  readonly name: string;
  /** The longest task from the paste until 8 s later: the checker's findings come in that time. */
  readonly paste: Task;
  /** From a pressed key to the frame that shows it, the slowest of ten, in milliseconds. */
  readonly key: number;
  /** The longest task while those ten keys are worked off. */
  readonly keyTask: Task;
  /** The longest task from Run to the end of the run or its refusal. */
  readonly run: Task;
  /** Lines in the list of problems. */
  readonly problems: number;
}

export async function pasteRows(): Promise<BenchRow[]> {
  return withBuiltPage(async (browser, address) => {
    const editor: Pasted[] = [];
    const refused: Pasted[] = [];
    const prompt: Pasted[] = [];
    for (const [name, text] of Object.entries(pasteTexts)) {
      editor.push(await paste(browser, address, { name, text, into: "editor" }));
      refused.push(await paste(browser, address, { name, text, into: "prompt" }));
      // Ten characters less than the limit, for the ten keys.
      const accepted = text.slice(0, editorLimits.characters - 10);
      prompt.push(await paste(browser, address, { name, text: accepted, into: "prompt" }));
    }
    return [
      ...(await rowsOf("1 MB pasted into the editor", editor)),
      atMost(
        "  lines in the list of problems",
        Math.max(...editor.map(({ problems }) => problems)),
        "lines",
        // And one that counts the rest.
        maxShownProblems + 1,
      ),
      ...(await rowsOf("1 MB pasted into the prompt, which takes half of it and refuses", refused)),
      ...(await rowsOf("500,000 characters pasted into the prompt", prompt)),
    ];
  });
}

type Traced = "paste" | "keyTask" | "run";

async function rowsOf(what: string, all: readonly Pasted[]): Promise<BenchRow[]> {
  const task = (name: string, of: Traced) => {
    const worst = all.reduce((most, each) => (each[of].processor > most[of].processor ? each : most));
    return atMost(`${name}, processor time (${worst.name})`, worst[of].processor, "ms", 200);
  };
  const slowest = all.reduce((most, each) => (each.key > most.key ? each : most));
  return [
    task(`${what}: longest task until 8 s later`, "paste"),
    await timeAtMost(`  slowest of ten keys, until its frame (${slowest.name})`, slowest.key, "ms", 200),
    task("  longest task while these keys are worked off", "keyTask"),
    task("  longest task from Run to its end", "run"),
  ];
}

interface Paste {
  readonly name: string;
  readonly text: string;
  readonly into: "editor" | "prompt";
}

async function paste(browser: Browser, address: string, { name, text, into }: Paste): Promise<Pasted> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  try {
    await beginAsLaterVisit(page);
    await watchTasks(page);
    await page.goto(address);
    await runOnce(page);
    await enterField(page, into);
    await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
    await page.waitForTimeout(2000);
    const paste = await traceLongestTask(browser, page, async () => {
      await page.keyboard.press("Control+v");
      await page.waitForTimeout(8000);
    });
    await slowestKey(page);
    const keyTask = await traceLongestTask(browser, page, () => pressTenKeys(page));
    const key = await slowestKey(page);
    const problems = await page.locator(".problems > li").count();
    const run = await traceLongestTask(browser, page, () => untilRun(page));
    const pasted = { name, paste, key, keyTask, run, problems };
    console.error(JSON.stringify({ into, characters: text.length, ...pasted }));
    return pasted;
  } finally {
    await context.close();
  }
}

/** One run of the bundled model before anything is measured, so that model and code are there. */
async function runOnce(page: Page): Promise<void> {
  await page.locator(".monaco-editor .view-line").first().waitFor();
  await page.locator(".run-controls").getByRole("button", { name: "Run" }).click();
  await page.locator(".run-line p", { hasText: "Ended" }).first().waitFor({ timeout: 120_000 });
}

/** The field is empty afterwards and has the focus. */
async function enterField(page: Page, into: Paste["into"]): Promise<void> {
  if (into === "prompt") {
    const field = page.locator(".turn-text").first();
    await field.click();
    await field.fill("");
    return;
  }
  await page.locator(".monaco-editor .view-line").first().click();
  // The type checker starts when someone points at a source.
  await page.waitForTimeout(4000);
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
}

async function pressTenKeys(page: Page): Promise<void> {
  for (let times = 0; times < 10; times += 1) {
    await page.keyboard.press("x");
    await page.waitForTimeout(150);
  }
  await page.waitForTimeout(2000);
}

/** The run ends or is refused: then the button says Run again. */
async function untilRun(page: Page): Promise<void> {
  const run = page.locator(".run-controls").getByRole("button", { name: "Run" });
  await run.click();
  await page.waitForTimeout(1000);
  await run.waitFor({ timeout: 120_000 });
  await page.waitForTimeout(3000);
}
