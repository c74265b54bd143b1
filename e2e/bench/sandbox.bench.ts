/**
 * `npm run bench -- sandbox [--json] [--model DIR]`: what a mod costs, in Chromium, over the real path: a worker that asks,
 * a mod in a frame of its own. Round trips are medians of sixty batches of ten. `--model` takes the tokenizer of a
 * real model in place of the bundled one's: it is what a new sandbox has to build.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { readTokenizerFolder } from "../../src/tokenizer/testing/test-tokenizers.ts";
import { type BenchRow, calibrate, figure, machine, printBench, timeAtMost } from "./machine.ts";
import { vocabulary } from "./sandbox/figures.ts";
import { measureSandbox } from "./sandbox/measure.ts";
import { suiteRows } from "./sandbox/suite-rows.ts";
import { threeModRows } from "./sandbox/three-mod-rows.ts";

const { values: options } = parseArgs({
  options: { json: { type: "boolean", default: false }, model: { type: "string" } },
});
const model = resolve(options.model ?? "public/models/stories260k");
if (!existsSync(join(model, "tokenizer.json"))) {
  console.error(`There is no tokenizer.json in ${model}. Give a model folder: --model DIR.`);
  process.exit(2);
}

const here = await machine();
const figures = await measureSandbox(readTokenizerFolder(model));
const { roundTrips } = figures;
const entries = `${vocabulary.toLocaleString("en-US")} entries`;
const rows: BenchRow[] = [
  await timeAtMost(`round trip, handler reads top-64 of ${entries}`, roundTrips.top64, "ms", 0.5),
  figure("of that, choosing the 64 most likely", figures.topSelection, "ms"),
  figure(`round trip, handler reads all logits, ${entries}`, roundTrips.wholeLogits, "ms"),
  figure("round trip, handler reads all logits and edits one", roundTrips.wholeLogitsEdited, "ms"),
  figure("round trip, added handler", roundTrips.added, "ms"),
  await timeAtMost("busy loop: stopped after its deadline of 250 ms", figures.killAfterDeadline, "ms", 50),
  figure("busy loop: taking its frame out of the page", figures.removeFrame, "ms"),
  await timeAtMost("ready again from the warm spare, tokenizer built", figures.readyFromSpare, "ms", 50),
  figure("ready again with no spare left, tokenizer included", figures.readyCold, "ms"),
  ...(await threeModRows(vocabulary, figures.threeMods, [here.calibration.ms, calibrate()])),
  ...(await suiteRows()),
];
printBench({ bench: "sandbox", machine: here, rows }, options.json);
process.exit();
