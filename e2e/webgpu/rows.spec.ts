/** The loop with logits that stay on the GPU: the same tokens and the same trace as with logits that are brought, for few bytes. */
import { expect, type Page, test } from "@playwright/test";
import { createMemoryDataFile } from "../../scripts/models/data-file.ts";
import { decoderGraph } from "../../scripts/models/graph.ts";
import type { DecoderShape } from "../../scripts/models/shapes.ts";
import { randomWeights } from "../../scripts/models/weights.ts";
import { encodeModel } from "../../src/runtime/engine/onnx/codec.ts";
import type { RowsPage, RowsRequest } from "./rows-page.ts";

declare global {
  interface Window {
    rows: RowsPage;
  }
}

/** One tiny layer under a vocabulary that is no multiple of anything. */
const shape: DecoderShape = {
  layers: 1,
  hidden: 32,
  intermediate: 32,
  heads: 2,
  keyValueHeads: 1,
  headSize: 16,
  vocabulary: 20_011,
  context: 200,
  rotaryTheta: 10_000,
  epsilon: 1e-6,
  headNorms: false,
};

/** Larger norms: else no token would be much likelier than another. */
function weights() {
  const random = randomWeights(3);
  const norm = (name: string, length: number) => random.norm(name, length).map((x) => 3 * x);
  return { ...random, norm };
}

async function serveModel(page: Page): Promise<void> {
  const data = createMemoryDataFile("model.onnx_data");
  const graph = encodeModel(decoderGraph(shape, weights(), "fp32", data));
  const files: Record<string, Uint8Array> = {
    "onnx/model.onnx": graph,
    "onnx/model.onnx_data": data.bytes(),
    "config.json": new TextEncoder().encode(JSON.stringify(configOf(shape))),
  };
  await page.route("**/generated/**", (route) => {
    const name = new URL(route.request().url()).pathname.replace("/generated/", "");
    return route.fulfill({
      body: Buffer.from(files[name] as Uint8Array),
      contentType: "application/octet-stream",
    });
  });
}

function configOf({ hidden, heads, keyValueHeads, headSize, layers, context, vocabulary }: DecoderShape) {
  return {
    model_type: "llama",
    hidden_size: hidden,
    num_attention_heads: heads,
    num_hidden_layers: layers,
    num_key_value_heads: keyValueHeads,
    head_dim: headSize,
    max_position_embeddings: context,
    vocab_size: vocabulary,
  };
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
