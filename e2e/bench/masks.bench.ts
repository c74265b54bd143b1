/**
 * `npm run bench -- masks [--json]`: the time of a mask along random walks, to the first mask and for the vocabulary's tree, the
 * same for the two npm engines in the same run, the corpus of schemas, and forward passes of tool calls. Rows of Qwen3's vocabulary and of a
 * real model need `MIDTOKEN_MODELS`.
 */
import { machine, printBench } from "./machine.ts";
import { corpusRows } from "./masks/corpus.ts";
import { hotRows, rivalRows } from "./masks/hot.ts";
import { threeModRows } from "./masks/three-mods.ts";
import { toolCallRows } from "./masks/tool-call.ts";

async function main(): Promise<void> {
  const rows = [
    ...(await hotRows()),
    ...(await rivalRows()),
    ...(await corpusRows()),
    ...(await toolCallRows()),
    ...(await threeModRows()),
  ];
  printBench({ bench: "masks", machine: await machine(), rows }, process.argv.includes("--json"));
}

await main();
