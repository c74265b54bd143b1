/** The session on WebGPU, and when its device is lost. Mods that run here are given much time: beside software WebGPU they may get little. */
import { expect } from "@playwright/test";
import { layeredRequests } from "../session/layered-requests.ts";
import { scoredRequests } from "../session/scored-requests.ts";
import { testsOnOnePage } from "../shared-page.ts";

const test = testsOnOnePage("/e2e/session/session.html", "midtoken");

const story = ", there was a little girl named Lily. She loved";

test("the bundled model tells its story on WebGPU; a device that is lost ends the request with a clear error, and the next one works", {
  tag: "@daily",
}, async ({ page }) => {
  const model = await page.evaluate(() => window.midtoken.load("webgpu"));
  expect(model.device).toBe("webgpu");
  expect(model.reason).not.toBe("");
  const tell = () => page.evaluate(() => window.midtoken.run([], { maxTokens: 14 }));
  const first = await tell();
  expect(first.text).toBe(story);
  const lost = await page.evaluate(() => window.midtoken.run([], { maxTokens: 400 }, { loseAfter: 2 }));
  expect(lost.reason).toBe("error");
  expect(lost.error).toMatch(/lost|destroyed/i);
  const next = await tell();
  expect(next.failure).toBeNull();
  expect(next.text).toBe(story);
});

test("a mod reads layers, which are opened for it, and another one steers them", async ({ page }) => {
  await layeredRequests(page, "webgpu");
});

test("a flow reads the probability of each option", async ({ page }) => {
  await scoredRequests(page, "webgpu");
});
