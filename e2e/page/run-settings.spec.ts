/** Which export of a mod's file runs, and the limits of a run: chosen, kept, sent, shared, and taken over by a fork. */
import {
  axeViolations,
  beforeOpening,
  cells,
  listenForErrors,
  pressRun,
  runToEnd,
  sharedLink,
  textOf,
} from "./page.ts";
import { expect, type Page, test } from "./test.ts";

const source = `import { mod } from "midtoken/mod";
const says = (text: string) => mod({ prefilled() {}, forwardPass: ({ step }, actions) => (step === 0 ? actions.forceTokens(text) : null) });
export default says(" plain");
export const shout = says(" SHOUT");
`;

/** Opens the page with one mod in the browser, as if it had been written there. */
async function openWithMod(page: Page): Promise<void> {
  const write = (text: string) => {
    localStorage.setItem("midtoken.mod.v2.one", JSON.stringify({ name: "says", source: text, needs: null }));
    const desk = { order: ["one"], enabled: ["one"], active: "one" };
    localStorage.setItem("midtoken.desk.v2", JSON.stringify(desk));
  };
  await beforeOpening(page, write, source);
  await page.goto("./");
}

const tab = (page: Page) => page.locator(".mod-name");
const ended = (page: Page) => page.getByRole("region", { name: "End of the run" });
const limits = (page: Page) => page.locator(".limits > summary .settings-summary");

async function chooseExport(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "More actions for says" }).click();
  await page.getByLabel("Exported mod to run").selectOption(name);
  await page.keyboard.press("Escape");
}

async function openLimits(page: Page): Promise<void> {
  await page.locator(".sampling > summary").click();
  await page.locator(".limits > summary").click();
}

test("an export and limits are chosen, kept, and taken over by a fork, which keeps the record that was being read", async ({
  page,
}) => {
  const errors = listenForErrors(page);
  await openWithMod(page);
  // The largest seed is shown whole.
  const seed = page.getByLabel("seed", { exact: true });
  await seed.fill("4294967295");
  expect(await seed.evaluate((field) => field.scrollWidth - field.clientWidth)).toBe(0);
  await seed.fill("42");
  await runToEnd(page);
  expect(await textOf(page)).toMatch(/^ plain/);

  await test.step("another export runs, under another budget", async () => {
    await chooseExport(page, "shout");
    await expect(tab(page)).toHaveText("says · shout");
    await openLimits(page);
    await expect(limits(page)).toHaveText("the defaults");
    const passes = page.getByLabel("Max forward passes");
    await expect(passes).toHaveValue("464");
    await passes.fill("0");
    await expect(page.locator(".limits .field-error")).toHaveText(
      "Enter a whole number from 1 to 10000000; the value is still 464.",
    );
    await passes.fill("10");
    await page.getByLabel("All other events, ms").fill("900");
    await expect(limits(page)).toHaveText("at most 10 passes · event 900 ms");
    await expect(page.locator(".sampling > summary")).toContainText("custom limits");
    expect(await axeViolations(page)).toEqual([]);
    await pressRun(page);
    await expect(ended(page)).toContainText("The run reached its limit of forward passes.");
    expect(await textOf(page)).toMatch(/^ SHOUT/);
  });

  const link = await sharedLink(page);
  const recorded = await cells(page);

  await test.step("both are kept, and go back to the defaults", async () => {
    await page.reload();
    await expect(tab(page)).toHaveText("says · shout");
    await openLimits(page);
    await expect(limits(page)).toHaveText("at most 10 passes · event 900 ms");
    const reset = page.getByRole("button", { name: "Reset to defaults" });
    await reset.click();
    await expect(limits(page)).toHaveText("the defaults");
    await expect(reset).toBeDisabled();
    await chooseExport(page, "default");
    await expect(tab(page)).toHaveText("says");
  });

  await test.step("a link, forked", async () => {
    await page.goto("about:blank");
    await page.goto(link);
    await page.getByRole("button", { name: "Open in the playground" }).click();
    await expect(tab(page)).toHaveText("says · shout");
    await expect(page.locator(".recorded-banner")).toContainText("Nothing has run on this device.");
    await expect.poll(() => cells(page)).toEqual(recorded);
    await openLimits(page);
    await expect(limits(page)).toHaveText("at most 10 passes · event 900 ms");
    await runToEnd(page);
    await expect(ended(page)).toContainText("The run reached its limit of forward passes.");
    expect(await textOf(page)).toMatch(/^ SHOUT/);
    await expect(page.locator(".recorded-banner")).toHaveCount(0);
  });

  await test.step("an export that the file does not have", async () => {
    await page.evaluate(() => {
      const entry = localStorage.getItem("midtoken.mod.v2.one") ?? "";
      localStorage.setItem(
        "midtoken.mod.v2.one",
        entry.replaceAll("shout", "whisper").replace('"entry":"whisper"', '"entry":"shout"'),
      );
    });
    await page.reload();
    await pressRun(page);
    await expect(page.locator(".read")).toContainText(
      'The file has no mod "shout". It exports default, whisper. Write: export const shout = mod({ … }).',
    );
    await page.getByRole("button", { name: "More actions for says" }).click();
    await expect(page.getByLabel("Exported mod to run")).toContainText("shout, not in the file");
    await page.getByLabel("Exported mod to run").selectOption("whisper");
    await page.keyboard.press("Escape");
    await runToEnd(page);
    expect(await textOf(page)).toMatch(/^ SHOUT/);
  });
  expect(errors).toEqual([]);
});
