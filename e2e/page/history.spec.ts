/** The kept runs: found, marked, opened again as they were, deleted and put back; none is lost without a word. */
import {
  axeViolations,
  cells,
  keptRuns,
  listenForErrors,
  openWithBreakpoint,
  pressRun,
  runToEnd,
  sharedLink,
  textOf,
} from "./page.ts";
import { expect, type Page, test } from "./test.ts";

const prompts = ["Once upon a time", "Lily and the dragon", "One day, a cat"];

const rows = (page: Page) => page.getByRole("option").filter({ has: page.locator(".run-title") });
const titles = (page: Page) => page.locator(".run-title");
const list = (page: Page) => page.getByRole("listbox", { name: "Runs, newest first" });

async function runWith(page: Page, prompt: string): Promise<void> {
  const before = (await keptRuns(page)).listed.length;
  await page.getByLabel("user turn").fill(prompt);
  await runToEnd(page);
  await expect.poll(async () => (await keptRuns(page)).listed.length).toBe(before + 1);
}

async function openHistory(page: Page): Promise<void> {
  await page.getByRole("button", { name: "History" }).click();
  await expect(page.getByLabel("Search the runs")).toBeFocused();
}

async function choose(page: Page, name: string): Promise<void> {
  await rows(page).filter({ hasText: name }).click();
  await expect(rows(page).filter({ hasText: name })).toHaveAttribute("aria-current", "true");
}

test("runs are kept, found, marked, opened as they were, deleted and put back", { tag: "@daily" }, async ({
  page,
  context,
}) => {
  const errors = listenForErrors(page);
  await page.goto("./");
  await page.locator(".monaco-editor .view-line").first().waitFor();

  await test.step("nothing yet", async () => {
    await page.keyboard.press("h");
    await expect(page.getByText("No runs yet.")).toBeVisible();
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("button", { name: "History" })).toBeFocused();
    await expect(page.getByLabel("Search the runs")).toHaveCount(0);
  });

  const texts: string[] = [];
  const seed = page.locator("#seed");
  const seedBefore = await seed.inputValue();
  await test.step("each run is listed, newest first, with its metadata", async () => {
    for (const prompt of prompts) {
      await runWith(page, prompt);
      texts.push(await textOf(page));
    }
    await openHistory(page);
    await expect(titles(page)).toHaveText(prompts.toReversed());
    await expect(rows(page).first()).toContainText("shown");
    await expect(rows(page).first()).toContainText(
      /swap-name, plot-twist · stories260k · \d+ tokens · token limit/,
    );
  });

  await test.step("open draws the run as it was; star, name and tags stay, and other tabs see them", async () => {
    const other = await context.newPage();
    await other.goto("./");
    await openHistory(other);
    await expect(titles(other)).toHaveCount(3);
    await page.bringToFront();
    await choose(page, "dragon");
    await expect.poll(() => textOf(page)).toBe(texts[1]);
    await page.getByRole("button", { name: "Star this run" }).click();
    await page.getByLabel("Name of the run").fill("The castle");
    await page.keyboard.press("Enter");
    await page.getByLabel("Add a tag").fill("dragons");
    await page.keyboard.press("Enter");
    await expect(rows(other).filter({ hasText: "The castle" })).toContainText("dragons");
    await other.close();
    await page.reload();
    await expect.poll(() => textOf(page)).toBe(texts[1]);
    await openHistory(page);
    await page.getByRole("button", { name: "Starred", exact: true }).click();
    await expect(titles(page)).toHaveText(["The castle"]);
    await page.getByRole("button", { name: "Starred", exact: true }).click();
    await page.getByLabel("Tag", { exact: true }).selectOption("dragons");
    await expect(titles(page)).toHaveText(["The castle"]);
    await page.getByLabel("Tag", { exact: true }).selectOption("");
  });

  await test.step("everything as it was: prompt, mods, seed, and the run that comes of it", async () => {
    await page.keyboard.press("Escape");
    await page.getByLabel("user turn").fill("Something else");
    await page.getByLabel("Include plot-twist in the next run").uncheck();
    await seed.fill("7");
    await openHistory(page);
    await choose(page, prompts[0] ?? "");
    await page.getByRole("button", { name: "Open with its mods and settings" }).click();
    await expect(page.getByLabel("user turn")).toHaveValue(prompts[0] ?? "");
    await expect(page.getByLabel("Include plot-twist in the next run")).toBeChecked();
    await expect(seed).toHaveValue(seedBefore);
    await runWith(page, prompts[0] ?? "");
    await expect.poll(() => textOf(page)).toBe(texts[0]);
    const { listed } = await keptRuns(page);
    const [child] = listed.filter(({ from }) => from !== null);
    expect(listed.map(({ id }) => id)).toContain(child?.from);
    await openHistory(page);
    await expect(page.getByText("Based on")).toContainText(prompts[0] ?? "");
  });

  await test.step("by keyboard: chosen, opened, deleted, put back", async () => {
    await list(page).focus();
    await page.keyboard.press("End");
    await expect(rows(page).last()).toHaveAttribute("aria-selected", "true");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await expect(rows(page).filter({ hasText: "The castle" })).toHaveAttribute("aria-current", "true");
    await list(page).focus();
    await page.keyboard.press("Delete");
    await expect(titles(page)).toHaveCount(3);
    await expect(list(page)).toBeFocused();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(rows(page).filter({ hasText: "The castle" })).toContainText("dragons");
    expect(await axeViolations(page)).toEqual([]);
  });

  await test.step("all without a star go together, once that is sure", async () => {
    await page.getByRole("button", { name: "Delete all unstarred" }).click();
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await expect(titles(page)).toHaveCount(4);
    await page.getByRole("button", { name: "Delete all unstarred" }).click();
    await expect(page.getByText("Delete 3 runs without a star")).toBeVisible();
    await page.locator(".history-foot").getByRole("button", { name: "Delete" }).click();
    await expect(titles(page)).toHaveText(["The castle"]);
    await page.getByRole("button", { name: "Dismiss" }).click();
    await expect.poll(async () => (await keptRuns(page)).traces).toBe(1);
  });
  expect(errors).toEqual([]);
});

test("what does not fit is told and kept once there is room; an updated Midtoken in another tab is told", async ({
  page,
  baseURL,
}) => {
  const session = await page.context().newCDPSession(page);
  const { origin } = new URL(baseURL ?? "");
  await page.goto("./");
  await page.getByRole("heading", { name: "Change what a model says" }).waitFor();
  await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 1 });
  await runToEnd(page);
  const banner = page.getByRole("alert").filter({ hasText: "Not saved." });
  await expect(banner).toContainText("storage is full");
  // It comes with the first piece that does not fit; to be tried again there is something once the whole run did not.
  await expect(banner.getByRole("button", { name: "Try again" })).toBeVisible();
  expect((await keptRuns(page)).listed).toEqual([]);
  await session.send("Storage.overrideQuotaForOrigin", { origin });
  await banner.getByRole("button", { name: "Try again" }).click();
  await expect(banner).toHaveCount(0);
  await expect.poll(async () => (await keptRuns(page)).listed.length).toBe(1);

  await page.evaluate(
    () =>
      new Promise<void>((resolve, reject) => {
        const request = indexedDB.open("midtoken.runs.v1", 99);
        request.onsuccess = () => {
          request.result.close();
          resolve();
        };
        request.onerror = () => reject(request.error);
      }),
  );
  await expect(banner).toContainText("updated in another tab");
  await expect(banner.getByRole("button", { name: "Reload" })).toBeVisible();
});

test("a run in mid-run is kept as far as it had come when another is opened", async ({ page }) => {
  await page.goto("./");
  await runWith(page, prompts[0] ?? "");
  await openWithBreakpoint(page, { type: "event", event: "added" });
  await page.getByLabel("user turn").fill("A second one");
  await pressRun(page);
  await expect(page.locator(".run-line p").first()).toContainText("Paused");
  const before = (await cells(page)).length;
  await openHistory(page);
  await choose(page, prompts[0] ?? "");
  await expect(titles(page)).toHaveText(["A second one", prompts[0] ?? ""]);
  await expect(rows(page).first()).toContainText("stopped");
  await choose(page, "A second one");
  await expect.poll(async () => (await cells(page)).length).toBeGreaterThanOrEqual(before);
});

test("a link's reader saves it among their own runs, and it stays one from elsewhere; thousands are drawn where seen", async ({
  page,
}) => {
  await page.goto("./");
  await runToEnd(page);
  const text = await textOf(page);
  const link = await sharedLink(page);
  await page.goto(link);
  await page.getByRole("button", { name: "Save to my runs" }).click();
  await expect(page.getByRole("button", { name: "Saved" })).toBeDisabled();
  await page.goto("./#");
  await openHistory(page);
  const saved = rows(page).filter({ hasText: "recorded elsewhere" });
  await expect(saved).toHaveCount(1);
  await saved.click();
  await expect(page.getByText("Recorded elsewhere. Nothing has run on this device.")).toBeVisible();
  await expect.poll(async () => (await textOf(page)).trim()).toBe(text.trim());

  await fillWith(page, 3_000);
  await page.reload();
  await openHistory(page);
  await expect(page.getByText("3,002 runs")).toBeVisible();
  expect(await rows(page).count()).toBeLessThan(40);
  await list(page).focus();
  await page.keyboard.press("End");
  await expect(rows(page).last()).toHaveAttribute("aria-posinset", "3002");
  expect(await rows(page).count()).toBeLessThan(40);

  await test.step("no axe violations, in light and dark, wide and narrow", async () => {
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 740 });
      if (width === 360) await page.getByRole("tab", { name: "History" }).click();
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        await expect(rows(page).first()).toBeVisible();
        expect(await axeViolations(page), `${width} ${colorScheme}`).toEqual([]);
      }
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    }
  });
});

/** Copies of a listed run, older ones, written past the page. */
async function fillWith(page: Page, count: number): Promise<void> {
  await page.evaluate(async (copies) => {
    const opened = await new Promise<IDBDatabase>((resolve) => {
      const request = indexedDB.open("midtoken.runs.v1");
      request.onsuccess = () => resolve(request.result);
    });
    const transaction = opened.transaction("metadata", "readwrite");
    const store = transaction.objectStore("metadata");
    const request = store.getAll();
    request.onsuccess = () => {
      for (let at = 0; at < copies; at += 1) {
        const id = `copy-${at}`;
        store.put({ ...request.result[0], id, when: at, recorded: false }, id);
      }
    };
    await new Promise((resolve) => {
      transaction.oncomplete = resolve;
    });
    opened.close();
  }, count);
}
