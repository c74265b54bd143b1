/** The stored bytes of a download in the browser. */
import { type StoreHub, weights } from "./store-hub.ts";

/** Waits until so many bytes of the weights are kept. */
export async function untilKept({ page, url }: StoreHub, bytes: number): Promise<void> {
  for (;;) {
    const models = await page.evaluate(() => window.storeBench.kept());
    const partial = models
      .find((model) => model.url === url)
      ?.partialFiles.find(({ path }) => path === weights);
    if (bytes === 0 || (partial?.bytes ?? 0) >= bytes) return;
    await page.waitForTimeout(20);
  }
}
