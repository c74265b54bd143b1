/** A flow that reads the probability of each option of a question, in a sandbox of the page. Shared by the tests of each device. */
import { expect, type Page } from "@playwright/test";
import { scoredFlowSource } from "../../src/page/examples/testing/scored-flow.ts";

export async function scoredRequests(page: Page, device: "wasm" | "webgpu"): Promise<void> {
  await page.evaluate((each) => window.midtoken.load(each), device);
  const { text, failure, error, records } = await page.evaluate(
    (source) =>
      window.midtoken.run([{ name: "scored", source }], {
        maxTokens: 8,
        deadlines: { load: 60_000, prefilled: 60_000, event: 60_000 },
      }),
    scoredFlowSource,
  );
  expect([failure, error]).toEqual([null, null]);
  expect(text.startsWith(", a girl.")).toBe(true);
  const calls = records.flatMap((record) => (record.type === "modCall" ? [record] : []));
  const [line = "[]"] = calls.flatMap(({ console }) => console.map((each) => each.text));
  const probabilities: number[] = JSON.parse(line);
  expect(probabilities.reduce((sum, each) => sum + each, 0)).toBeCloseTo(1);
  expect(probabilities[0]).toBeGreaterThan(Math.max(...probabilities.slice(1)));
  const [scores] = calls.flatMap((call) => call.scores ?? []);
  expect(scores?.logprobs).toHaveLength(3);
}
