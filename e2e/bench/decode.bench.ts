/**
 * `npm run bench -- decode [--json] [--model DIR] [--device gpu] [--only NAME,…]`: the decode loop in Chromium, against
 * @huggingface/transformers, wllama and the bare session; `--model` adds a real model with an expected.json, SmolLM2's of
 * `MIDTOKEN_MODELS` unless given; with `--device gpu` WebGPU is the machine's own adapter, and no software stands in for it.
 * On a lent machine with a GPU, what needs one in one command of ten minutes:
 * `npm run bench -- decode --json --device gpu --only webgpu,peer2048,cost,gpu,forced,long`.
 * Ratios are of things timed in the same page, in turns.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { modelFolder } from "../../scripts/models-folder.ts";
import { firstToken } from "./decode/first-token.ts";
import { gpuRows } from "./decode/gpu-rows.ts";
import { graphKinds } from "./decode/graphs.ts";
import { longContext } from "./decode/long-context.ts";
import { passCostRows } from "./decode/pass-cost-rows.ts";
import * as real from "./decode/real-model.ts";
import * as sections from "./decode/sections.ts";
import { deviceOption } from "./device-option.ts";
import { type BenchRow, missingRows } from "./machine.ts";
import { runSections, type Sections } from "./sections.ts";

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    model: { type: "string" },
    device: { type: "string" },
    only: { type: "string" },
  },
});
const model = options.model ?? modelFolder("smollm2-135m-instruct");
if (model !== null && !existsSync(join(model, "expected.json"))) {
  console.error(
    `--model is ${model}, and there is no expected.json in it. Give a model folder that has one.`,
  );
  process.exit(2);
}

const device = await deviceOption(options.device);

/** On the real model, or a line that says what is missing. */
const onModel = (rows: string, measure: (folder: string) => Promise<BenchRow[]>) => async () =>
  model === null ? missingRows(rows, "MIDTOKEN_MODELS (or --model DIR)") : measure(model);

const all: Sections = {
  wasm: sections.onWasm,
  webgpu: () => sections.onWebGpu(device),
  peer2048: () => longContext(device),
  long: () => sections.longPasses(device),
  forced: () => sections.forced(device),
  backtrack: sections.backtracks,
  repeat: sections.repeats,
  page: firstToken,
  graphs: () => graphKinds(device, "as chosen"),
  fallback: () => graphKinds(device, "transformers"),
  gpu: () => gpuRows(device),
  cost: () => passCostRows(device, model),
  model: onModel("a real model", real.realModel),
  threads: onModel("two threads against one on a real model", real.twoThreads),
  prompt: onModel("a prompt of 1,000 tokens on a real model", (folder) => real.longPrompt(folder, 2)),
  prompt1: onModel("the same with one thread", (folder) => real.longPrompt(folder, 1)),
  wllama: async () => {
    const smolLm2 = modelFolder("smollm2-135m-instruct");
    return smolLm2 === null ? missingRows("4-bit weights against wllama") : real.againstWllama(smolLm2);
  },
};
await runSections("decode", all, options);
