/**
 * `npm run bench -- decode [--json] [--model DIR] [--device software|gpu] [--only NAME,…] [--shapes NAME[:LAYERS],…] [--tokens N] [--answers N]`:
 * the decode loop in Chromium, against @huggingface/transformers, wllama and the bare session. `--model` adds a real model, SmolLM2
 * of `MIDTOKEN_MODELS` unless given, whose expected.json the sections `model`, `threads`, `prompt`, `accuracy` and
 * `activations` need. With `--device gpu` WebGPU is the machine's own adapter, and no software stands in for it; `model` and `prompt`
 * then run on WebGPU. `--shapes` names the models of the section `shapes`, SmolLM2's and Qwen3's shape unless given. `--tokens` and
 * `--answers` shorten the sections `accuracy` and `activations`: tokens of their text, 2,000 unless given, and reference answers, all
 * unless given. If WebGPU computes on the processor, `accuracy` takes few tokens and one answer unless options say otherwise, and
 * `shapes` one layer of SmolLM2's shape.
 * `npm run gpu -- run` (scripts/gpu/README.md) measures the sections that need a GPU.
 * Ratios are of things timed in the same page, in turns.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { smolLm2SetupHint, smolLm2WithWeights } from "../../scripts/models-folder.ts";
import { accuracyLevels, eightBitActivations } from "./decode/accuracy.ts";
import { firstToken } from "./decode/first-token.ts";
import { gpuRows } from "./decode/gpu-rows.ts";
import { graphKinds } from "./decode/graphs.ts";
import { tokenHealing } from "./decode/healing.ts";
import { longContext } from "./decode/long-context.ts";
import { passCostRows } from "./decode/pass-cost-rows.ts";
import * as real from "./decode/real-model.ts";
import { realShapes } from "./decode/real-shapes.ts";
import { scoredOptions } from "./decode/scores.ts";
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
    shapes: { type: "string" },
    tokens: { type: "string" },
    answers: { type: "string" },
  },
});
const model = options.model ?? smolLm2WithWeights();
/** Sections that compare with the answers of a real model. */
const withAnswers = ["model", "threads", "prompt", "prompt1", "accuracy", "activations"];
const needsAnswers = options.only?.split(",").some((name) => withAnswers.includes(name)) ?? true;
if (model !== null && needsAnswers && !existsSync(join(model, "expected.json"))) {
  console.error(
    `--model is ${model}, and there is no expected.json in it. Give a model folder that has one.`,
  );
  process.exit(2);
}

const device = await deviceOption(options.device);

/** A whole number above 0, or undefined if the option is not given. */
function numberOption(name: "tokens" | "answers"): number | undefined {
  const text = options[name];
  if (text === undefined) return undefined;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  console.error(`--${name} is ${text}. Give a whole number above 0.`);
  process.exit(2);
}
const size = { tokens: numberOption("tokens"), answers: numberOption("answers") };

/** On the real model, or a line that says what is missing. */
const onModel =
  (rows: string, measure: (folder: string) => Promise<BenchRow[]> | AsyncIterable<BenchRow[]>) => () =>
    model === null
      ? Promise.resolve(missingRows(rows, `${smolLm2SetupHint} (or --model to a model's folder)`))
      : measure(model);

const all: Sections = {
  wasm: sections.onWasm,
  webgpu: () => sections.onWebGpu(device),
  peer2048: () => longContext(device),
  long: () => sections.longPasses(device),
  forced: () => sections.forced(device),
  page: firstToken,
  graphs: () => graphKinds(device, "as chosen"),
  fallback: () => graphKinds(device, "transformers"),
  gpu: () => gpuRows(device),
  accuracy: onModel("4-bit accuracy levels on a real model", (folder) =>
    accuracyLevels(folder, device, size),
  ),
  activations: onModel("8-bit activations on a real model", (folder) => eightBitActivations(folder, size)),
  healing: () => tokenHealing(),
  scores: scoredOptions,
  cost: () => passCostRows(device, model),
  shapes: () => realShapes(device, options.shapes),
  model: onModel("a real model", (folder) => real.realModel(folder, device)),
  threads: onModel("two threads against one on a real model", real.twoThreads),
  prompt: onModel("a prompt of 1,000 tokens on a real model", (folder) => real.longPromptOn(folder, device)),
  wllama: async () => {
    const smolLm2 = smolLm2WithWeights();
    return smolLm2 === null
      ? missingRows("4-bit weights against wllama", smolLm2SetupHint)
      : real.againstWllama(smolLm2);
  },
};
await runSections("decode", all, options);
