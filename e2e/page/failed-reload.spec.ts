/** After whatever went wrong with the model, the page knows what is loaded, and Run works again. */

import { pressRun, runToEnd, textOf } from "./page.ts";
import { expect, type Page, test } from "./test.ts";

/** Ends the engine's worker as a browser ends one that used up its memory: its page hears an error, and nothing ever again. */
const keepWorkers = () => {
  const workers: Worker[] = [];
  class KeptWorker extends Worker {
    constructor(...parts: ConstructorParameters<typeof Worker>) {
      super(...parts);
      // The editor has workers, too.
      if (String(parts[0]).includes("engine-worker")) workers.push(this);
    }
  }
  window.Worker = KeptWorker;
  Object.assign(window, {
    crashEngine() {
      for (const worker of workers.splice(0)) {
        worker.terminate();
        worker.dispatchEvent(new ErrorEvent("error", { message: "out of memory" }));
      }
    },
  });
};

const crashEngine = (page: Page) =>
  page.evaluate(() => (window as unknown as { crashEngine(): void }).crashEngine());

test("the worker crashes, its reload fails once, and the run after that is the run before", async ({
  page,
}) => {
  await page.addInitScript(keepWorkers);
  await page.goto("./");
  await runToEnd(page);
  const before = await textOf(page);
  await crashEngine(page);
  await expect(page.locator(".model-where")).toHaveText("loads when you press Run");
  await page.route("**/stories260k/config.json", (route) => route.fulfill({ status: 503 }));
  await pressRun(page);
  await expect(page.locator(".start-failure")).toContainText("config.json could not be fetched");
  await page.unroute("**/stories260k/config.json");
  await runToEnd(page);
  expect(await textOf(page)).toBe(before);
});
