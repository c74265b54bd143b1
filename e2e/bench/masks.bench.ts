/**
 * `npm run bench -- masks [--json] [--only NAME,…]`: the time of a mask along random walks, to the first mask and for the vocabulary's tree, the
 * same for the two npm engines in the same run, the corpus of schemas, the JSON Schema Test Suite, hostile inputs, and forward passes of tool calls. Rows of
 * Qwen3's vocabulary and of a real model need `MIDTOKEN_MODELS`; the suite needs `JSON_SCHEMA_TEST_SUITE`.
 */
import { parseArgs } from "node:util";
import { corpusRows } from "./masks/corpus.ts";
import { hostileRows } from "./masks/hostile.ts";
import { hotRows, rivalRows } from "./masks/hot.ts";
import { keywordSuiteRows } from "./masks/keyword-suite.ts";
import { threeModRows } from "./masks/three-mods.ts";
import { toolCallRows } from "./masks/tool-call.ts";
import { runSections } from "./sections.ts";

const { values: options } = parseArgs({
  options: { json: { type: "boolean", default: false }, only: { type: "string" } },
});
const all = {
  walks: hotRows,
  rivals: rivalRows,
  corpus: corpusRows,
  suite: keywordSuiteRows,
  hostile: hostileRows,
  tools: toolCallRows,
  mods: threeModRows,
};
await runSections("masks", all, options);
