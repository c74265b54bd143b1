/**
 * `npm run bench -- sandbox [--json] [--only NAME,…] [--model DIR] [--sources N]`: what a mod costs, in Chromium, over the real
 * path: a worker that asks, a mod in a frame of its own (`mods`; round trips are medians of sixty batches of ten); what hostile
 * sources cost the page (`compile`, of 10,000 sources unless given; `editor`, which shows some of a megabyte); a paste of 1 MB into
 * the editor and the prompt (`paste`). `--model` takes the tokenizer of a real model in place of the bundled one's: it is what a
 * new sandbox has to build.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { readTokenizerFolder } from "../../src/core/tokenizer/testing/repository-tokenizers.ts";
import { type BenchRow, calibrate, figure, timeAtMost } from "./machine.ts";
import { vocabulary } from "./sandbox/figures.ts";
import { measureSandbox } from "./sandbox/measure.ts";
import { compileRows } from "./sandbox/measure-compile.ts";
import { editorRows } from "./sandbox/measure-editor.ts";
import { pasteRows } from "./sandbox/measure-paste.ts";
import { threeModRows } from "./sandbox/three-mod-rows.ts";
import { runSections } from "./sections.ts";

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    only: { type: "string" },
    model: { type: "string" },
    sources: { type: "string", default: "10000" },
  },
});
const model = resolve(options.model ?? "public/models/stories260k");
if (!existsSync(join(model, "tokenizer.json"))) {
  console.error(`There is no tokenizer.json in ${model}. Give a model folder: --model DIR.`);
  process.exit(2);
}
const sources = Number(options.sources);
if (!Number.isInteger(sources) || sources < 1) {
  console.error(`--sources has to be a whole number from 1, not ${options.sources}.`);
  process.exit(2);
}

async function modRows(): Promise<BenchRow[]> {
  const before = calibrate();
  const figures = await measureSandbox(readTokenizerFolder(model));
  const { roundTrips } = figures;
  const entries = `${vocabulary.toLocaleString("en-US")} entries`;
  return [
    await timeAtMost(`round trip, handler reads top-64 of ${entries}`, roundTrips.top64, "ms", 0.5),
    figure("of that, choosing the 64 most likely", figures.topSelection, "ms"),
    figure(`round trip, handler reads all logits, ${entries}`, roundTrips.wholeLogits, "ms"),
    figure("round trip, handler reads all logits and edits one", roundTrips.wholeLogitsEdited, "ms"),
    figure("round trip, added handler", roundTrips.added, "ms"),
    await timeAtMost("busy loop: stopped after its deadline of 250 ms", figures.killAfterDeadline, "ms", 50),
    figure("busy loop: taking its frame out of the page", figures.removeFrame, "ms"),
    await timeAtMost("ready again from the warm spare, tokenizer built", figures.readyFromSpare, "ms", 50),
    figure("ready again with no spare left, tokenizer included", figures.readyCold, "ms"),
    ...(await threeModRows(vocabulary, figures.threeMods, [before, calibrate()])),
  ];
}

const all = {
  mods: modRows,
  compile: () => compileRows(sources),
  editor: editorRows,
  paste: pasteRows,
};
await runSections("sandbox", all, options);
process.exit();
