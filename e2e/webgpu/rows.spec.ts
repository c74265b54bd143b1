/** The loop with logits that stay on the GPU: the same tokens and the same trace as with logits that are brought, for few bytes. */
import { expect, type Page, test } from "@playwright/test";
import { createRowsModel } from "./rows-model.ts";
import type { RowsPage, RowsRequest } from "./rows-page.ts";

declare global {
  interface Window {
    rows: RowsPage;
  }
}

async function serveModel(page: Page): Promise<void> {
  const files = createRowsModel();
  await page.route("**/generated/**", (route) => {
    const name = new URL(route.request().url()).pathname.replace("/generated/", "");
    const body = Buffer.from(files.get(name) as Uint8Array);
    return route.fulfill({ body, contentType: "application/octet-stream" });
  });
}

/** `runsAhead`: passes that begin before their token was read back. `savesRuns`: drafts are taken. */
const requests: readonly (RowsRequest & { readonly runsAhead?: number; readonly savesRuns?: boolean })[] = [
  { name: "greedy, no mod", sampling: { temperature: 0 }, mod: "none", maxTokens: 6, runsAhead: 4 },
  {
    name: "greedy, cancelled and made again",
    sampling: { temperature: 0 },
    mod: "none",
    maxTokens: 6,
    cancelAfter: 3,
    runsAhead: 4,
  },
  { name: "greedy, a token taken back", sampling: { temperature: 0 }, mod: "back", maxTokens: 12 },
  {
    name: "greedy, a mod that edits what it is shown",
    sampling: { temperature: 0 },
    mod: "listed",
    maxTokens: 6,
  },
  { name: "greedy, forced spans", sampling: { temperature: 0 }, mod: "force", maxTokens: 6 },
  {
    name: "greedy, a mod that goes round in circles, with drafts",
    sampling: { temperature: 0 },
    mod: "circle",
    maxTokens: 12,
    drafts: true,
    savesRuns: true,
  },
  { name: "greedy, a JSON schema", sampling: { temperature: 0 }, mod: "format", maxTokens: 18 },
  { name: "plain sampling", sampling: { temperature: 1 }, mod: "none", maxTokens: 6 },
  { name: "top-p, masked", sampling: { temperature: 0.7, topP: 0.9 }, mod: "mask", maxTokens: 3 },
  {
    name: "penalties, flat",
    sampling: { temperature: 1, repetitionPenalty: 1.2 },
    mod: "none",
    maxTokens: 3,
  },
];

/** Figures may be off by as much as float32 sums are; everything else is the same. */
function expectAlike(found: unknown, expected: unknown, path: string, unlike?: RegExp): void {
  if (unlike?.test(path)) return;
  if (typeof expected === "number" && /\.(logprob\w*|logprobs\.\d+|entropy|probability)$/.test(path)) {
    expect(Math.abs((found as number) - expected), path).toBeLessThan(1e-4);
  } else if (/\.(time|duration|prefill|decode)Us$/.test(path)) {
    return;
  } else if (expected && typeof expected === "object") {
    expect(Object.keys(found as object), path).toEqual(Object.keys(expected));
    for (const [key, value] of Object.entries(expected)) {
      expectAlike((found as Record<string, unknown>)[key], value, `${path}.${key}`, unlike);
    }
  } else expect(found, path).toEqual(expected);
}

test("logits that stay on the GPU: the same tokens and records, and few bytes come back", async ({
  page,
}) => {
  // Software takes minutes. On a card the limit of the command line holds.
  if (process.env.MIDTOKEN_DEVICE !== "gpu") test.setTimeout(600_000);
  await serveModel(page);
  await page.goto("/e2e/webgpu/rows.html");
  await page.waitForFunction(() => "rows" in window);
  for (const request of requests) {
    await test.step(request.name, async () => {
      const { stay, brought } = await page.evaluate((r) => window.rows.both("/generated/", r), request);
      console.log(request.name, stay.bytes / stay.tokens, brought.bytes / brought.tokens, "bytes per token");
      // Draft tokens may change these fields; prompt lookup runs where the logits stay on the GPU.
      expectAlike(
        stay.records,
        brought.records,
        "",
        request.drafts ? /\.(tokenCount|forwardPasses)$/ : undefined,
      );
      expect(stay.bytes / stay.tokens).toBeLessThan(16_384);
      console.log(request.name, stay.runs, stay.runsAhead, brought.runs);
      if (request.runsAhead !== undefined) {
        expect(stay.runsAhead).toBe(request.runsAhead);
        expect(stay.runs).toBe(brought.runs);
      }
      if (request.savesRuns) expect(stay.runs).toBeLessThan(brought.runs);
    });
  }
  expect(await page.evaluate(() => window.rows.conformance("/generated/"))).toEqual([]);
  const { message, unheard } = await page.evaluate(() => window.rows.lostAhead("/generated/"));
  expect(message).toContain("The graphics device was lost");
  expect(unheard).toEqual([]);
});
