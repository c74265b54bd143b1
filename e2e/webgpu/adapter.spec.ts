import { expect, test } from "@playwright/test";

test("the browser has a WebGPU adapter; every other WebGPU test rests on it", { tag: "@daily" }, async ({
  page,
}) => {
  await page.goto("/e2e/webgpu/adapter.html");
  const info = await page.evaluate(async () => {
    const adapter = await navigator.gpu?.requestAdapter();
    return adapter && { min: adapter.info.subgroupMinSize, features: [...adapter.features] };
  });
  expect(
    info,
    "navigator.gpu.requestAdapter() gave nothing: check scripts/chromium-switches.ts",
  ).toBeTruthy();
  console.log(JSON.stringify(info));
});
