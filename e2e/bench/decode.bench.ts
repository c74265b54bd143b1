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
import * as sections from "./decode/sections.ts";
import { type BenchRow, machine, missingRows, printBench } from "./machine.ts";

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

const all: Readonly<Record<string, () => Promise<BenchRow[]>>> = {
  wasm: sections.onWasm,
  webgpu: sections.onWebGpu,
  long: sections.longPasses,
  forced: sections.forced,
  backtrack: sections.backtracks,
  repeat: sections.repeats,
  page: firstToken,
  model: async () =>
    model === null
      ? missingRows("a real model", "MIDTOKEN_MODELS (or --model DIR)")
      : sections.realModel(model),
};
const wanted = options.only?.split(",") ?? Object.keys(all);
const unknown = wanted.filter((name) => !(name in all));
if (unknown.length > 0) {
  console.error(`--only knows no ${unknown.join(", ")}; it knows ${Object.keys(all).join(", ")}.`);
  process.exit(2);
}

const here = await machine();
const rows: BenchRow[] = [];
for (const name of wanted) {
  console.error(`${name} …`);
  const start = performance.now();
  rows.push(...((await all[name]?.()) ?? []));
  console.error(`${name}: ${Math.round((performance.now() - start) / 1000)} s`);
}
printBench({ bench: "decode", machine: here, rows }, options.json);
