/** A run is verified: its mods answer from the record without the model, another source is found out, and the request is run again. */
import { readFile } from "node:fs/promises";
import { axeViolations, dropTrace, runToEnd, writeSource } from "./page.ts";
import { expect, type Page, test } from "./test.ts";

/** A mod that changes the prompt by its messages, reads the most likely tokens, bans and forces. The lines are short, so that none is wrapped. */
const source = (word: string) => `import { mod } from "midtoken/mod";
export default mod({
prefilled(event, actions) {
return actions.adjustPrefill({ replace: ["Lily", "Tom"] });
},
forwardPass(event, actions) {
const [one, two] = event.topK(20);
if (!two || one.logprob - two.logprob > 0.1) return;
return actions.adjustLogits({ ban: [one.token] });
},
added(event, actions) {
if (event.step !== 30) return;
return actions.forceTokens(" ${word}");
},
});
`;

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const result = (page: Page) => page.locator(".verify-result");

test("one's own run, a changed mod, and a file of it where no model is", { tag: "@daily" }, async ({
  page,
}) => {
  await page.goto("./");
  await writeSource(page, source("dog"));
  await runToEnd(page);

  await press(page, "Repeat and check");
  await press(page, "Check the mods");
  await expect(result(page)).toContainText(/The mods replied to \d+ events as recorded: no differences\./);
  expect(await axeViolations(page)).toEqual([]);
  await press(page, "Run again and compare");
  await expect(result(page)).toContainText(/The new run is the same, token for token: \d+ tokens\./);
  await page.keyboard.press("Escape");

  await press(page, "Share this run");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save as a file" }).click(),
  ]);
  const bytes = [...(await readFile(await download.path()))];
  await page.keyboard.press("Escape");

  await test.step("the source in the editor answers otherwise: the first step is named and selected", async () => {
    await writeSource(page, source("cat"));
    await press(page, "Repeat and check");
    await press(page, "Check the mods as they are in the editor");
    await expect(result(page)).toContainText(
      /The mods replied to \d+ events? as recorded, but the reply to the next event differs\./,
    );
    const details = result(page).locator("dd");
    await expect(details).toHaveText([
      "added",
      "at step 30",
      /replied with forceTokens " dog" in added\(\)/,
      /replied with forceTokens " cat" in added\(\)/,
    ]);
    expect(await axeViolations(page)).toEqual([]);
    await press(page, "Show the step");
    await expect(page.locator('[data-index="30"]').first()).toHaveClass(/cell-cursor/);
  });

  await test.step("from a file, nothing runs before its mods were shown, and no weights are needed", async () => {
    // The page fetches the model that was chosen as soon as it is open: here it cannot have it.
    await page.route(/\.onnx$/, (route) => route.abort());
    await page.evaluate(() => caches.keys().then((all) => Promise.all(all.map((key) => caches.delete(key)))));
    await page.goto("about:blank");
    await page.goto("./");
    await dropTrace(page, bytes);
    await press(page, "Repeat and check");
    await press(page, "Check the mods");
    await expect(page.getByRole("dialog")).toContainText("forceTokens(");
    await press(page, "Cancel");
    await expect(result(page)).toBeEmpty();
    await press(page, "Check the mods");
    await press(page, "Run here");
    await expect(result(page)).toContainText(/The mods replied to \d+ events as recorded: no differences\./);
  });
});
