/** The run on the page stays: through a start that fails, a reload in its middle, and a file that was opened. */
import { readFileSync } from "node:fs";
import { encodeTraceFile } from "../../src/core/trace/codec/codec.ts";
import { longRecording } from "../../src/core/trace/testing/hostile-files.ts";
import { sampleReasoningTrace } from "../../src/core/trace/testing/sample-trace.ts";
import { axeViolations, cells, dropTrace, keptRuns, openWithBreakpoint, pressRun, runToEnd } from "./page.ts";
import { expect, type Page, test } from "./test.ts";

const line = (page: Page) => page.locator(".run-line p").first();

test("a start that fails leaves the last run, says why once, and no longer once it is mended", async ({
  page,
}) => {
  await page.goto("./");
  await runToEnd(page);
  const before = await cells(page);
  const ended = (await line(page).textContent()) ?? "";
  await page.locator(".answer summary").click();
  await page.getByRole("radio", { name: "JSON Schema" }).check();
  await page.getByLabel("JSON Schema of the answer").fill("{");
  await pressRun(page);
  const failure = page.locator(".start-failure");
  await expect(failure).toContainText("schema");
  await expect(failure).toContainText("The text below is from the previous run.");
  expect(await cells(page)).toEqual(before);
  await page.getByRole("radio", { name: "Text", exact: true }).check();
  await expect(failure).toHaveCount(0);
  await expect(line(page)).toHaveText(ended);

  await test.step("what was opened from a file is there after a reload, and leads back to the run before", async () => {
    await page.getByRole("button", { name: "Share this run" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save as a file" }).click(),
    ]);
    const bytes = [...readFileSync(await download.path())];
    await page.keyboard.press("Escape");
    await page.getByLabel("user turn").fill("Another day");
    await runToEnd(page);
    const other = await cells(page);
    // Each is kept before the next is shown, so that no earlier one is taken for a later one.
    const isRecordedKept = async () => (await keptRuns(page)).shownIsRecorded;
    await dropTrace(page, bytes);
    await expect.poll(() => cells(page)).toEqual(before);
    await expect.poll(isRecordedKept).toBe(true);
    await page.getByRole("button", { name: "Back to the previous run" }).click();
    // A kept run is read from the database again.
    await expect.poll(() => cells(page)).toEqual(other);
    await expect.poll(isRecordedKept).toBe(false);
    await dropTrace(page, bytes);
    await expect.poll(isRecordedKept).toBe(true);
    await page.reload();
    await expect(page.locator(".recorded-banner")).toBeVisible();
    await expect.poll(() => cells(page)).toEqual(before);
  });
});

test("a long file that was dropped is kept, and there after a reload", async ({ page }) => {
  await page.goto("./");
  await dropTrace(page, [...encodeTraceFile(longRecording(8_000))]);
  // A page that has just begun may still be making its database.
  await expect.poll(async () => (await keptRuns(page)).shownIsRecorded).toBe(true);
  await page.reload();
  await expect(page.locator(".recorded-banner")).toBeVisible();
  await expect(page.locator(".run-line")).toContainText("8,000");
});

test("what a model thought first is folded behind a line, and chosen tokens of it come to sight", async ({
  page,
}) => {
  await page.goto("./");
  await dropTrace(page, [...encodeTraceFile(sampleReasoningTrace({ tokens: 60 }))]);
  const thoughtFirst = page.getByRole("button", { name: /^Reasoning: \d+ tokens$/ });
  await expect(thoughtFirst).toHaveAttribute("aria-expanded", "false");
  const answer = await cells(page);
  const thought = page.locator(".cell-reasoning");
  await expect(thought.first()).toBeHidden();
  await thoughtFirst.click();
  await expect(thoughtFirst).toHaveAttribute("aria-expanded", "true");
  await expect(thought.first()).toBeVisible();
  expect(await axeViolations(page)).toEqual([]);
  await thoughtFirst.click();
  await expect(thought.first()).toBeHidden();
  await expect.poll(() => cells(page)).toEqual(answer);

  // One token back from the first of the answer stands the last of what was thought.
  await page.locator("[data-index]:not(.cell-reasoning)").first().click();
  await page.keyboard.press("ArrowLeft");
  await expect(thoughtFirst).toHaveAttribute("aria-expanded", "true");
  await expect(thought.last()).toHaveAttribute("aria-selected", "true");
});

/** Tokens of the run in pieces that the page has kept so far. */
async function keptTokens(page: Page): Promise<number> {
  const { growing } = await keptRuns(page);
  return growing.reduce((sum, { type, tokens = [] }) => sum + (type === "added" ? tokens.length : 0), 0);
}

test("a reload in mid-run keeps what had come, and says that it was interrupted", async ({ page }) => {
  await openWithBreakpoint(page, { type: "text", text: "park" });
  await pressRun(page);
  await expect(line(page)).toContainText("Paused");
  const before = await cells(page);
  await expect.poll(() => keptTokens(page)).toBeGreaterThanOrEqual(before.length);
  await page.reload();
  await expect(line(page)).toContainText("Interrupted");
  const after = await cells(page);
  expect(after.length).toBeGreaterThan(10);
  const text = (all: typeof after) => all.map((cell) => cell.text).join("");
  // The restored text lacks at most the last half second before the reload.
  const [shorter, longer] = after.length < before.length ? [after, before] : [before, after];
  expect(text(longer).startsWith(text(shorter.slice(0, -1)))).toBe(true);
  // It can be shared as any other, and run again.
  await page.getByRole("button", { name: "Share this run" }).click();
  await expect(page.locator("[data-address]")).toBeVisible();
  await page.keyboard.press("Escape");
});
