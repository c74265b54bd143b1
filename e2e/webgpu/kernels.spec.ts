/** Rows of logits that stay on the GPU: what the kernels say of them is what is true of them. */
import { expect, test } from "@playwright/test";
import type { KernelsPage } from "./kernels-page.ts";

declare global {
  interface Window {
    kernels: KernelsPage;
  }
}

// A multiple of nothing, as Qwen3's 151,936 is of pieces; small, since software WebGPU interprets every shader.
const vocabularySize = 20_011;

for (const type of ["float32", "float16"] as const) {
  test(`a row on the GPU keeps what every device's row has to keep, in ${type}`, { tag: "@daily" }, async ({
    page,
  }) => {
    page.on("console", (message) => message.type() === "error" && console.log(message.text()));
    await page.goto("/e2e/webgpu/kernels.html");
    await page.waitForFunction(() => "kernels" in window);
    const isThere = type === "float32" || (await page.evaluate(() => window.kernels.hasFloat16()));
    test.skip(!isThere, "this adapter has no shader-f16");
    const results = await page.evaluate(([size, kind]) => window.kernels.conformance(size, kind), [
      vocabularySize,
      type,
    ] as const);
    console.log(results.map(({ name, ms }) => `${name} ${Math.round(ms)} ms`).join("; "));
    expect(results).toHaveLength(8);
    expect(results.filter(({ failure }) => failure !== null)).toEqual([]);
    if (process.env.KERNEL_TIMES && type === "float32")
      console.log(
        JSON.stringify(
          await page.evaluate(() =>
            Promise.all([
              window.kernels.times(49_152).then((a) => window.kernels.times(151_936).then((b) => [a, b])),
            ]),
          ),
        ),
      );
  });
}
