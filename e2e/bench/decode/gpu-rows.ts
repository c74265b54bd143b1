/** Section `gpu`: the bytes that come back from the GPU for a token at Qwen3's vocabulary, and whether tokens stay the same. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { WebGpuDevice } from "../../../scripts/chromium-switches.ts";
import { ensureGeneratedModel, generatedFolder } from "../../../scripts/models/generated.ts";
import { folderBesideModels } from "../../../scripts/models-folder.ts";
import type { TraceRecord } from "../../../src/core/trace/format/format.ts";
import type { RowsOutcome, RowsPage, RowsRequest } from "../../webgpu/rows-page.ts";
import { atMost, type BenchRow, exactly, figure, missingRows, onAdapter } from "../machine.ts";
import { median } from "../statistics.ts";
import { openBenchPage, servedFolder } from "./browser.ts";

declare global {
  interface Window {
    rows: RowsPage;
  }
}

/** 151,936 logits under two tiny layers. */
const model = "wide-vocabulary";

const requests: readonly RowsRequest[] = [
  {
    name: "greedy, a mod that reads 64 and edits",
    sampling: { temperature: 0 },
    mod: "listed",
    maxTokens: 6,
  },
  { name: "top-k 40, the same mod", sampling: { temperature: 0.8, topK: 40 }, mod: "listed", maxTokens: 6 },
  { name: "greedy, a mod that masks", sampling: { temperature: 0 }, mod: "mask", maxTokens: 6 },
  { name: "greedy, a JSON schema", sampling: { temperature: 0 }, mod: "format", maxTokens: 24 },
  { name: "top-k 40, a JSON schema", sampling: { temperature: 0.8, topK: 40 }, mod: "format", maxTokens: 24 },
  { name: "plain sampling, no mod", sampling: { temperature: 1 }, mod: "none", maxTokens: 6 },
  { name: "top-p 0.9, no mod", sampling: { temperature: 1, topP: 0.9 }, mod: "none", maxTokens: 6 },
  { name: "min-p 0.05, no mod", sampling: { temperature: 1, minP: 0.05 }, mod: "none", maxTokens: 6 },
  {
    name: "penalties, no mod",
    sampling: { temperature: 1, repetitionPenalty: 1.2 },
    mod: "none",
    maxTokens: 6,
  },
];

/** `gpu`: the machine's own adapter, or software, on which rows stay for the count alone. */
export async function gpuRows(gpu: WebGpuDevice): Promise<BenchRow[]> {
  const isMade = existsSync(join(generatedFolder(model), "onnx/model.onnx"));
  if (!isMade && folderBesideModels("tokenizers/qwen3-0.6b") === null)
    return missingRows("bytes read back at a vocabulary of 151,936");
  const folder = ensureGeneratedModel(model, ["fp32"]);
  const at = { path: "../webgpu/rows.html", global: "rows" };
  const { page, adapter, close } = await openBenchPage({ folders: [folder], at, gpu });
  try {
    const rows: BenchRow[] = [];
    for (const request of requests) {
      const [stay, brought] = await page.evaluate(
        async ([address, asked]) => {
          const both = await window.rows.both(address, asked);
          return [both.stay, both.brought];
        },
        [servedFolder(folder), request] as const,
      );
      rows.push(...rowsOf(request, stay as RowsOutcome, brought as RowsOutcome));
    }
    const pace = await page.evaluate(
      ([address, tokens, rounds]) => window.rows.pace(address, tokens, rounds),
      [servedFolder(folder), 24, 7] as const,
    );
    return onAdapter(adapter, [...rows, ...paceRows(pace)]);
  } finally {
    await close();
  }
}

function rowsOf({ name }: RowsRequest, stay: RowsOutcome, brought: RowsOutcome): BenchRow[] {
  const perToken = ({ bytes, tokens }: RowsOutcome) => bytes / tokens / 1024;
  const title = `vocabulary 151,936, ${name}: read back per token`;
  return [
    atMost(title, perToken(stay), "KB", 16),
    figure(`${title}, if logits are brought`, perToken(brought), "KB"),
    exactly(
      `${name}: other tokens than with logits that are brought`,
      otherTokens(stay, brought),
      "tokens",
      0,
    ),
    atMost(`${name}: furthest log-probability from theirs`, furthest(stay, brought), "", 1e-4),
  ];
}

/** Greedy, no mod: passes that begin before their token was read back against passes that wait for it, in turns. */
function paceRows({ ahead, waited }: Awaited<ReturnType<RowsPage["pace"]>>): BenchRow[] {
  const title = "vocabulary 151,936, greedy";
  return [
    figure(`${title}: a token, each pass waits for the token before it`, median(waited), "ms"),
    figure(`${title}: a token, passes begin before it was read back`, median(ahead), "ms"),
    atMost(
      `${title}: the second over the first`,
      median(ahead.map((ms, i) => ms / (waited[i] ?? 0))),
      "",
      1.05,
    ),
  ];
}

type Sampled = Extract<TraceRecord, { type: "sampled" }>;

function sampledOf({ records }: RowsOutcome): Sampled[] {
  return records.filter((record) => record.type === "sampled");
}

function otherTokens(stay: RowsOutcome, brought: RowsOutcome): number {
  const [a, b] = [sampledOf(stay), sampledOf(brought)];
  const differing = a.filter(({ token }, place) => token !== b[place]?.token).length;
  return differing + Math.abs(a.length - b.length);
}

function furthest(stay: RowsOutcome, brought: RowsOutcome): number {
  const others = sampledOf(brought);
  const distances = sampledOf(stay).map(({ logprobBefore, logprobAfter }, place) =>
    Math.max(
      Math.abs(logprobBefore - (others[place]?.logprobBefore ?? Number.NaN)),
      Math.abs(logprobAfter - (others[place]?.logprobAfter ?? Number.NaN)),
    ),
  );
  return Math.max(...distances);
}
