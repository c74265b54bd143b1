/** `midtoken/react` with the engine and its bundled model, in strict mode. */
import { expect, test } from "@playwright/test";
import { listenForErrors } from "../page/page.ts";

test("an engine, a streamed answer and its timeline; one load in strict mode, and nothing left behind", async ({
  page,
}) => {
  const errors = listenForErrors(page);
  const weights: string[] = [];
  page.on("request", (request) => {
    if (/\.onnx/.test(request.url())) weights.push(request.url());
  });
  await page.goto("/e2e/element/react.html");
  const state = page.locator("#state");
  const timeline = page.locator("token-timeline");
  const written = () => timeline.locator("[role=listbox]").innerText();
  await expect(state).toHaveText("idle");
  expect(weights).toHaveLength(1);

  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await expect(state).toHaveText("finished");
  const text = (await page.locator("#text").innerText()).trim();
  expect(text).toMatch(/^Hello/);
  await expect.poll(written).toContain(text.slice(0, 40).trim());
  await expect(timeline.locator(".cell-forced")).not.toHaveCount(0);
  await expect(timeline.locator(".ribbon-shaded")).toHaveCount(1);
  await expect(timeline).toHaveClass("timeline");
  await timeline.locator("[data-index]").first().click();
  await expect(page.locator("#picked")).toHaveText(/^H/);

  await page.getByRole("button", { name: "Ask for much, and stop" }).click();
  await expect(page.locator("#text")).toHaveText("");
  await expect(state).toHaveText("finished");

  await page.getByRole("button", { name: "Take away or put back" }).click();
  await expect(timeline).toHaveCount(0);
  await expect.poll(() => page.workers().length).toBe(0);
  await page.getByRole("button", { name: "Take away or put back" }).click();
  await expect(state).toHaveText("idle");
  expect(errors).toEqual([]);
});
