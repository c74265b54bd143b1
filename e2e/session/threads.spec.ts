/** Threads of WebAssembly: as many as are said, the same logits, gone with their model, and none if the page may start none. */
import { expect } from "@playwright/test";
import { testsOnOnePage } from "../shared-page.ts";

const test = testsOnOnePage("/e2e/session/threads.html", "threadsPage");

test("a model has the threads that it says, they end with it, and its logits are those of one thread, to the bit", async ({
  page,
}) => {
  const { adapter, reason, logits } = await page.evaluate(() => threadsPage.create(3));
  expect([adapter, reason]).toEqual(["WebAssembly, 3 threads", "The model runs on WebAssembly."]);
  expect(page.workers()).toHaveLength(2);
  await page.evaluate(() => threadsPage.dispose());
  await expect.poll(() => page.workers().length).toBe(0);

  expect(logits).toEqual(await page.evaluate(() => threadsPage.logitsWith(1)));
  expect(page.workers()).toHaveLength(0);
});

test("where the page may start no worker, a model has one thread and says why", async ({ page }) => {
  await page.evaluate(() => threadsPage.forbidWorkers());
  const { adapter, reason, logits } = await page.evaluate(() => threadsPage.create(3));
  expect(adapter).toBe("WebAssembly, 1 thread");
  expect(reason).toMatch(
    /^The model runs on WebAssembly\. The model runs on one thread, because the other threads did not start: /,
  );
  expect(logits).toEqual(await page.evaluate(() => threadsPage.logitsWith(1)));
  await page.evaluate(() => threadsPage.dispose());
});
