/**
 * `npm run bench -- decode [--json] [--model DIR] [--only NAME,…]`: the decode loop in Chromium, against
 * @huggingface/transformers and against the bare session; `--model` adds a real model with an expected.json, SmolLM2's of `MIDTOKEN_MODELS` unless given.
 * Ratios are of things timed in the same page, in turns.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { modelFolder } from "../../scripts/models-folder.ts";
import { firstToken } from "./decode/first-token.ts";
import { graphKinds } from "./decode/graphs.ts";
import * as sections from "./decode/sections.ts";
import { missingRows } from "./machine.ts";
import { runSections, type Sections } from "./sections.ts";

const { values: options } = parseArgs({
  options: { json: { type: "boolean", default: false }, model: { type: "string" }, only: { type: "string" } },
});
const model = options.model ?? modelFolder("smollm2-135m-instruct");
if (model !== null && !existsSync(join(model, "expected.json"))) {
  console.error(
    `--model is ${model}, and there is no expected.json in it. Give a model folder that has one.`,
  );
  process.exit(2);
}

const all: Sections = {
  wasm: sections.onWasm,
  webgpu: sections.onWebGpu,
  long: sections.longPasses,
  forced: sections.forced,
  backtrack: sections.backtracks,
  repeat: sections.repeats,
  page: firstToken,
  graphs: graphKinds,
  model: async () =>
    model === null
      ? missingRows("a real model", "MIDTOKEN_MODELS (or --model DIR)")
      : sections.realModel(model),
};
await runSections("decode", all, options);
