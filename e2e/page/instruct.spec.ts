/** A real instruct model, as a visitor uses it: picked from the list, loaded with progress, changed by a mod. */

import { modelsFolder } from "../../scripts/models-folder.ts";
import { addExample, cells, listenForErrors, pressRun, textOf, untilEnded } from "./page.ts";
import { expect, test } from "./test.ts";

const folder = modelsFolder();
if (!folder) console.log("The instruct model was not tested: set MIDTOKEN_MODELS to the folder of models.");

test("an instruct model answers, and a mod makes it think again", async ({ page }) => {
  test.skip(!folder, "no MIDTOKEN_MODELS");
  test.setTimeout(300_000);
  const errors = listenForErrors(page);
  await page.goto("./");
  await page.locator(".model-button").click();
  await page.locator(".model-entry", { hasText: "smollm2-135m-instruct" }).click();
  await addExample(page, "Wait a minute");
  await pressRun(page);
  await expect(page.locator(".model-where")).toContainText("WebAssembly");
  await untilEnded(page);
  expect(await textOf(page)).toContain("Wait, let me think again.");
  expect((await cells(page)).map(({ mark }) => mark)).toContain("reinjected");
  expect(errors).toEqual([]);
});
