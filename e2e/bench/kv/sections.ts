/** The figures of the key/value cache bench, each section a fresh page. */
import type { WebGpuDevice } from "../../../scripts/chromium-switches.ts";
import type { AdapterRecord } from "../../../scripts/gpu/adapter-record.ts";
import { ensureGeneratedModel } from "../../../scripts/models/generated.ts";
import { smolLm2SetupHint, smolLm2WithWeights } from "../../../scripts/models-folder.ts";
import { type BenchPage, type BenchPageOptions, openBenchPage, servedFolder } from "../decode/browser.ts";
import type { Subject } from "../decode/rival.ts";
import { deviceNames } from "../device-option.ts";
import { atLeast, atMost, type BenchRow, exactly, figure, missingRows, onAdapter } from "../machine.ts";
import { median } from "../statistics.ts";
import type { KvBench, ReadResult, ReadsResult } from "./page.ts";

declare global {
  interface Window {
    kvBench: KvBench;
  }
}

async function onPage<T>(
  work: (page: BenchPage["page"], adapter: AdapterRecord | null) => Promise<T>,
  model: string,
  options: Pick<BenchPageOptions, "gpu"> = {},
): Promise<T> {
  const { page, adapter, close } = await openBenchPage({
    ...options,
    folders: [model],
    at: { path: "kv/index.html", global: "kvBench" },
  });
  try {
    return await work(page, adapter);
  } finally {
    await close();
  }
}

const article =
  "The old lighthouse stands on a cliff above the harbor. Every evening the keeper climbs the stairs and lights the lamp. " +
  "Ships see the light from far away and find their way home. In winter the storms are strong, and the keeper stays awake all night. " +
  "In the morning he walks down to the village to buy bread and fish.";

/** A text that is to be given back with little changed. */
export async function drafts(): Promise<BenchRow[]> {
  const folder = smolLm2WithWeights();
  if (folder === null) return missingRows("drafts, SmolLM2", smolLm2SetupHint);
  const content = `Copy this text, but write "cat" in place of "keeper". Text: ${article}`;
  const subject: Subject = { id: "smollm2", folder: servedFolder(folder), dtype: "int8", content };
  const options = { subject, maxTokens: 96, warmUps: 1, rounds: 5 };
  const result = await onPage((page) => page.evaluate((o) => window.kvBench.drafts(o), options), folder);
  console.error(`the edited text: ${result.text}`);
  const { passes, tokens } = result;
  const ratios = result.plain.map((plain, round) => plain / (result.drafts[round] ?? Number.NaN));
  const name = `drafts, edit this text, SmolLM2, ${tokens} tokens`;
  return [
    exactly(`${name}: the same tokens`, result.isSame ? 1 : 0, "", 1),
    figure(`${name}: passes without`, passes.plain, ""),
    figure(`${name}: passes with`, passes.drafts, ""),
    atLeast(`${name}: passes without over with`, passes.plain / passes.drafts, "×", 1.5),
    figure(
      `${name}: per token without, median of ${options.rounds} rounds`,
      median(result.plain) / tokens,
      "ms",
    ),
    figure(`${name}: per token with`, median(result.drafts) / tokens, "ms"),
    atLeast(`${name}: time without over with`, median(ratios), "×", 1.3),
  ];
}

/** Changes of a context of 400 tokens: what is read of it. Two layers, since software WebGPU reads 2,000 tokens for a minute. */
export async function readsOnWebGpu(gpu: WebGpuDevice): Promise<BenchRow[]> {
  const folder = ensureGeneratedModel("large-cache", ["fp32"], 2);
  const options = { subject: largeCache(folder), device: "webgpu", contextTokens: 400 } as const;
  return onPage(
    async (page, adapter) => {
      const found = await page.evaluate((o) => window.kvBench.reads(o), options);
      return onAdapter(adapter, readsRows(`${deviceNames[gpu]}, `, options.contextTokens, found));
    },
    folder,
    { gpu },
  );
}

function largeCache(folder: string): Subject {
  return { id: "large-cache", folder: servedFolder(folder), dtype: "fp32", content: "" };
}

function readsRows(where: string, contextTokens: number, found: ReadsResult): BenchRow[] {
  const length = contextTokens.toLocaleString("en");
  return [
    ...readRows(`${where}edit of the last 24 tokens of a chat of ${length}`, found.edit, 24),
    // The answer's last token was chosen and never read.
    ...readRows(`${where}next turn of 16 tokens in a chat of ${length}`, found.nextTurn, 17),
    ...readRows(`${where}backtrack of 32 at ${length} tokens`, found.backtrack, 1),
    ...readRows(`${where}backtrack of 32 at ${length} tokens, 8 in their place`, found.replaced, 8),
    // The token before them was chosen in the step before.
    ...readRows(`${where}128 forced tokens at ${length} tokens`, found.forced, 129),
  ];
}

/** Several texts in one cache: two chats in turns, the runs of a comparison, more texts than are kept. */
export async function prefixes(): Promise<BenchRow[]> {
  const folder = ensureGeneratedModel("large-cache", ["fp32"]);
  const subject = largeCache(folder);
  const found = await onPage((page) => page.evaluate((s) => window.kvBench.several(s), subject), folder);
  const { turns, comparison, readMs, turnMs } = found;
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  const two = "two chats of 2,000 tokens in turns, 3 turns each";
  const eight = "8 runs of a prompt of 2,000 tokens, another request after each";
  return [
    exactly(
      `${two}: tokens computed`,
      sum(turns.map(({ computed }) => computed)),
      "",
      sum(turns.map((turn) => turn.new)),
    ),
    figure(`${two}: to the first token of a turn, median`, median(turnMs), "ms"),
    figure("to the first token of a chat that is read", readMs, "ms"),
    exactly(`${eight}: tokens computed by the first`, comparison.first, "", 2000),
    exactly(`${eight}: tokens of the prompt computed by the other 7`, comparison.others, "", 0),
    atMost(
      "texts kept of many, 3 of which are asked for again: most bytes over the budget",
      found.keptOverBudget,
      "×",
      1,
    ),
    atLeast("texts of those that were there when they were asked for again, of 6", found.keptTexts, "", 6),
  ];
}

function readRows(name: string, { passes }: ReadResult, tokens: number): BenchRow[] {
  return [
    exactly(`${name}: forward passes`, passes.length, "", 1),
    exactly(
      `${name}: tokens computed`,
      passes.reduce((sum, each) => sum + each, 0),
      "",
      tokens,
    ),
  ];
}
