/**
 * `event.score` of 8 options with a common beginning, against 8 requests in which a mod forces one option each and the trace records
 * the log-probability of every forced token.
 */
import { smolLm2SetupHint, smolLm2WithWeights } from "../../../scripts/models-folder.ts";
import type { TokenId } from "../../../src/core/sdk/request.ts";
import type { TraceRecord } from "../../../src/core/trace/format/format.ts";
import { type ExportedModel, openExportedModel } from "../../../src/page/examples/testing/exported-model.ts";
import { inProcessMod } from "../../../src/page/examples/testing/in-process-mod.ts";
import { atMost, type BenchRow, missingRows } from "../machine.ts";
import { greedyRun } from "./greedy-run.ts";

interface Options {
  readonly prompt: string;
  readonly beginning: string;
  readonly ends: readonly string[];
}

const stories: Options = {
  prompt: "Once upon a time",
  beginning: ", there was a little ",
  ends: ["girl named", "boy named", "dog named", "cat that", "bird that", "fish that", "tree in", "house in"],
};
const capitals: Options = {
  prompt: "My favourite city is",
  beginning: " the capital of ",
  ends: [
    "France",
    "Germany",
    "Great Britain",
    "South Africa",
    "New Zealand",
    "the Netherlands",
    "Peru",
    "Mali",
  ],
};

export async function* scoredOptions(): AsyncGenerator<BenchRow[]> {
  yield await onModel("bundled model", "public/models/stories260k", "onnx/model.onnx", stories);
  const folder = smolLm2WithWeights();
  if (folder) yield await onModel("SmolLM2", folder, "onnx/model_int8.onnx", capitals);
  else yield missingRows("scores on SmolLM2", smolLm2SetupHint);
}

async function onModel(name: string, folder: string, graph: string, options: Options): Promise<BenchRow[]> {
  const model = await openExportedModel(folder, graph);
  try {
    return await measure(name, model, options);
  } finally {
    await model.dispose();
  }
}

async function measure(name: string, model: ExportedModel, options: Options): Promise<BenchRow[]> {
  const { prompt, beginning, ends } = options;
  const tokens = ends.map((end) => model.tokenizer.encode(beginning + end));
  const { logprobs, passes } = await scored(model, prompt, tokens);
  let furthest = 0;
  for (const [place, option] of tokens.entries()) {
    const forced = await forcedLogprob(model, prompt, option);
    furthest = Math.max(furthest, Math.abs(forced - (logprobs[place] ?? Number.NaN)));
  }
  const what = `${name}, ${ends.length} options with a common beginning`;
  return [
    atMost(`${what}: furthest of event.score from the sum of a forced run`, furthest, "", 1e-4),
    atMost(`${what}: passes of event.score`, passes, "", new Set(ends).size),
  ];
}

async function scored(model: ExportedModel, prompt: string, options: readonly (readonly TokenId[])[]) {
  const handler = `async forwardPass(event) { await event.score(${JSON.stringify(options)}); }`;
  const records = await run(model, prompt, handler, 1);
  for (const record of records) if (record.type === "modCall" && record.scores?.[0]) return record.scores[0];
  throw new Error(`Nothing was scored: ${JSON.stringify(records)}`);
}

async function forcedLogprob(
  model: ExportedModel,
  prompt: string,
  tokens: readonly TokenId[],
): Promise<number> {
  const handler = `forwardPass(event, actions) {
    if (event.step === 0) return actions.forceTokens(${JSON.stringify(tokens)});
  }`;
  const records = await run(model, prompt, handler, tokens.length + 1);
  const logprobs = records.flatMap((record) => (record.type === "scored" ? record.logprobs : []));
  if (logprobs.length !== tokens.length)
    throw new Error(
      `The trace has log-probabilities of ${logprobs.length} of ${tokens.length} forced tokens.`,
    );
  return logprobs.reduce((sum, logprob) => sum + logprob, 0);
}

async function run(
  model: ExportedModel,
  prompt: string,
  handler: string,
  maxTokens: number,
): Promise<readonly TraceRecord[]> {
  const mod = inProcessMod(
    `import { mod } from "midtoken/mod";\nexport default mod({ ${handler} });`,
    model.tokenizer,
  );
  const { finished, records } = await greedyRun(model, { prompt, maxTokens, heal: false }, [mod]);
  if (finished.error) throw new Error(finished.error.message);
  return records;
}
