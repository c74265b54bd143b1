/** Experiments: made from the editor, run in the background, left and gone on with, read, saved, opened and deleted. */
import { readFileSync } from "node:fs";
import { axeViolations, keptRuns, listenForErrors, openWithBreakpoint, pressRun, runToEnd } from "./page.ts";
import { expect, type Page, test } from "./test.ts";

const pane = (page: Page) => page.getByRole("region", { name: "Experiments" });
const state = (page: Page) => page.locator(".experiment-progress [role=status]");
const rows = (page: Page) => page.locator(".results tbody tr:not(.results-runs)");
/** The texts of the table, row by row. */
const table = (page: Page) => rows(page).allInnerTexts();

/** The numbers of a column, row by row. */
function columnOf(page: Page, name: string): Promise<number[]> {
  return page.evaluate((title) => {
    const heads = [...document.querySelectorAll(".results thead th")];
    const at = heads.findIndex(({ textContent }) => textContent?.startsWith(title));
    return [...document.querySelectorAll(".results tbody tr:not(.results-runs)")].map((row) =>
      Number.parseFloat(row.children[at]?.textContent ?? ""),
    );
  }, name);
}

async function saved(page: Page, item: string): Promise<string> {
  await page.getByRole("button", { name: "More actions for this experiment" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: item }).click();
  return readFileSync(await (await download).path(), "utf8");
}

test("an experiment is made, left in its middle, gone on with, read, saved and deleted", async ({ page }) => {
  const errors = listenForErrors(page);
  await page.goto("./");
  await page.locator(".monaco-editor .view-line").first().waitFor();

  await test.step("nothing yet, by key", async () => {
    await page.keyboard.press("x");
    await expect(page.getByText("An experiment runs several mods")).toBeVisible();
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("button", { name: "Experiments" })).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("button", { name: "New", exact: true })).toBeFocused();
  });

  await test.step("the form says what is wrong, and what it comes to", async () => {
    await page.keyboard.press("Enter");
    await expect(page.getByLabel("Name", { exact: true })).toBeFocused();
    await page.getByLabel("Prompts, one per line").fill("Once upon a time\n\nOne day, a cat\n");
    await page.getByLabel("Seeds").fill("7, 8, 7");
    await expect(page.getByText("seeds contains 7 twice")).toBeVisible();
    await expect(page.getByRole("button", { name: "Start" })).toBeDisabled();
    await page.getByLabel("Seeds").fill("3");
    await page.getByRole("button", { name: "Add a check" }).click();
    await page.getByLabel("What check 1 looks for").fill("Lily");
    await page.getByRole("button", { name: "Add a check" }).click();
    await page.getByLabel("Kind of check 2").selectOption("regex");
    await page.getByLabel("What check 2 looks for").fill("a(?=b)");
    await expect(page.locator(".experiment-form")).toContainText("look-around is not supported");
    await page.getByLabel("What check 2 looks for").fill("Max");
    await page.getByRole("button", { name: "Add a check" }).click();
    await page.getByLabel("Kind of check 3").selectOption("function");
    await page
      .getByLabel("What check 3 looks for")
      .fill("function check(text: string) {\n  return text.length > 5;\n}");
    await expect(page.getByText("4 mod sets × 2 prompts × 3 seeds = 24 runs")).toBeVisible();
    expect(await axeViolations(page)).toEqual([]);
  });

  await test.step("a page that is left in its middle keeps what was made, and goes on when told to", async () => {
    // As soon as three are made: a page that was looked at from outside might have made them all.
    await page.evaluate(() => {
      const watch = new MutationObserver(() => {
        const said = document.querySelector(".experiment-progress [role=status]")?.textContent ?? "";
        if (Number.parseInt(said, 10) < 3 || !said.includes(" of ")) return;
        watch.disconnect();
        location.reload();
      });
      watch.observe(document.body, { childList: true, subtree: true, characterData: true });
    });
    const reloaded = page.waitForEvent("load");
    await page.getByRole("button", { name: "Start" }).click();
    await reloaded;
    await page.getByRole("button", { name: "Open the experiments" }).click();
    await page.getByRole("button", { name: /Experiment 1/ }).click();
    await expect(state(page)).toContainText(/stopped at \d+ of 24 runs/);
    const made = Number(/\d+/.exec(await state(page).innerText())?.[0]);
    expect(made).toBeGreaterThanOrEqual(3);
    // In the page, as soon as the button is there: all the runs may be made before a test outside has seen it.
    await pane(page).evaluate(async (box) => {
      const button = (name: string) =>
        [...box.querySelectorAll("button")].find(({ textContent }) => textContent?.trim() === name);
      button("Continue")?.click();
      while (!button("Pause")) await new Promise(requestAnimationFrame);
      button("Pause")?.click();
    });
    await expect(state(page)).toContainText("stopped at");
    await page.getByRole("button", { name: "Continue", exact: true }).click();
  });

  await test.step("the page's own run goes first, and is the only one in the history", async () => {
    await runToEnd(page);
    await expect(state(page)).toHaveText("24 runs");
    expect((await keptRuns(page)).listed).toHaveLength(1);
  });

  const seen = await test.step("the table: by mods, by cell, sorted", async () => {
    await expect(rows(page)).toHaveCount(4);
    await expect(rows(page).first()).toContainText("without mods6");
    await expect(page.locator(".results")).toContainText("6 of 6");
    await page.getByRole("radio", { name: "All combinations" }).check();
    await expect(rows(page)).toHaveCount(8);
    await page.getByRole("button", { name: "Interventions" }).click();
    await page.getByRole("button", { name: "Interventions" }).click();
    await expect(page.locator(".results th[aria-sort=descending]")).toContainText("Interventions");
    const interventions = await columnOf(page, "Interventions");
    expect(interventions).toEqual([...interventions].sort((one, other) => other - one));
    expect(interventions[0]).toBeGreaterThan(0);
    expect(interventions.at(-1)).toBe(0);
    await page.getByRole("button", { name: "Interventions" }).click();
    expect(await axeViolations(page)).toEqual([]);
    return table(page);
  });

  await test.step("a row opens to its runs, and a run to its timeline, by keyboard", async () => {
    await page.getByRole("button", { name: "plot-twist", exact: true }).first().focus();
    await page.keyboard.press("Enter");
    const runs = page.locator(".row-runs button");
    await expect(runs).toHaveCount(3);
    await expect(runs.first()).toContainText("seed 178");
    const begins = (await runs.first().locator(".row-run-text").innerText()).slice(0, 20);
    await page.keyboard.press("Tab");
    await expect(runs.first()).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(page.locator(".read")).toContainText("plot-twist");
    await expect(page.locator("[data-index]").first()).toBeVisible();
    // The page's own run, which has the same mods, stays in sight until the run of the table is read from storage.
    const textInSight = async () => {
      const words = await page.locator("[data-index]").allTextContents();
      return words.join("").replace(/\s+/g, " ").trim();
    };
    await expect.poll(textInSight).toContain(begins.replace(/\s+/g, " ").trim());
    expect((await keptRuns(page)).listed).toHaveLength(1);
    await expect(state(page)).toHaveText("24 runs");
  });

  await test.step("saved as CSV and as a file, which shows the same table and runs to the same again", async () => {
    expect((await saved(page, "Save all runs (CSV)")).split("\r\n")).toHaveLength(26);
    expect((await saved(page, "Save the table (CSV)")).split("\r\n")).toHaveLength(10);
    const file = await saved(page, "Save as a file");
    await page.getByRole("button", { name: "Back to the experiments" }).click();
    const buffer = Buffer.from(file);
    const name = "again.experiment.json";
    await page.getByLabel("Experiment file").setInputFiles({ name, mimeType: "application/json", buffer });
    await expect(state(page)).toHaveText("24 runs, recorded elsewhere");
    await page.getByRole("radio", { name: "All combinations" }).check();
    await expect.poll(() => table(page)).toEqual(seen);
    await page.getByRole("button", { name: "Make a copy to run here" }).click();
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await expect(state(page)).toHaveText("24 runs");
    await page.getByRole("radio", { name: "All combinations" }).check();
    await expect.poll(() => table(page)).toEqual(seen);
  });

  await test.step("renamed, deleted and put back", async () => {
    await page.getByLabel("Name of the experiment").fill("Names and twists");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "More actions for this experiment" }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await expect(pane(page).getByRole("button", { name: /Names and twists/ })).toHaveCount(0);
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await expect(pane(page).getByRole("button", { name: /Names and twists/ })).toBeVisible();
  });

  await test.step("what is no experiment is refused", async () => {
    const other = { name: "other.json", mimeType: "application/json", buffer: Buffer.from("{}") };
    await page.getByLabel("Experiment file").setInputFiles(other);
    await expect(page.getByText("not a Midtoken experiment")).toBeVisible();
  });
  expect(errors).toEqual([]);
});

test("with and without the mods, eight seeds: the prompt is read once", { tag: "@daily" }, async ({
  page,
}) => {
  const errors = listenForErrors(page);
  // A narrower page has no room for the second button.
  await page.setViewportSize({ width: 1800, height: 900 });
  await page.goto("./");
  await runToEnd(page);
  await page.getByRole("button", { name: "8 seeds", exact: true }).click();
  await expect(state(page)).toHaveText("16 runs");
  await expect(rows(page)).toHaveCount(2);
  const { outcomes } = JSON.parse(await saved(page, "Save as a file")) as {
    outcomes: { result: { promptTokens: number }; cost: { reusedTokens: number; forwardPasses: number } }[];
  };
  const read = outcomes.filter(({ result, cost }) => cost.reusedTokens < result.promptTokens);
  expect(outcomes).toHaveLength(16);
  expect(read.length).toBeLessThanOrEqual(1);

  await page.getByRole("button", { name: "More actions for this experiment" }).click();
  await page.keyboard.press("Escape");
  await expect(state(page)).toHaveText("16 runs");
  await page.getByRole("button", { name: "Close the experiments" }).click();
  await page.getByRole("button", { name: "More actions for swap-name" }).click();
  await page.getByRole("button", { name: "Run with and without this mod", exact: true }).click();
  await expect(state(page)).toHaveText("2 runs");
  await expect(rows(page).first()).toContainText("without swap-name");
  await expect(page.getByRole("heading", { name: "Two runs compared" })).toBeVisible();
  expect(errors).toEqual([]);
});

test("one click on “Try without mods” shows both texts side by side", async ({ page }) => {
  await page.goto("./");
  await runToEnd(page);
  await page.getByRole("button", { name: "Try without mods", exact: true }).click();
  const compare = page.getByRole("region", { name: "Compare" });
  await expect(compare.getByRole("heading", { name: "Two runs compared" })).toBeVisible();
  await expect(compare.locator("[data-column]").first()).toBeVisible();
  await expect(compare).toContainText(/difference/i);
});

test("on a narrow page the example opens with what came of it, and a run waits for the user's own", async ({
  page,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await openWithBreakpoint(page, { type: "event", event: "added" });
  await page.getByRole("tab", { name: "Experiments" }).click();
  await page.getByRole("button", { name: "Example: where to inject words (story model)" }).click();
  await expect(state(page)).toHaveText("250 runs, recorded elsewhere");
  await expect(rows(page)).toHaveCount(5);
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole("button", { name: "Make a copy to run here" }).click();
  await pressRun(page);
  await expect(page.locator(".run-line p").first()).toContainText("Paused");
  await page.getByRole("tab", { name: "Experiments" }).click();
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await expect(state(page)).toContainText("Waiting for your run …");
  await expect(state(page)).toContainText("0 of 250 runs");
});
