/**
 * `npm run bench -- package [--json] [--only NAME,…]`: the packed tarball in six tools, what imports weigh, streams under random
 * mods, many requests at once, what a token costs through OpenAI's calls, the suites of clients, masks in transformers.js. Next is
 * installed from the registry; rows of a real model need `MIDTOKEN_MODELS`.
 */
import { parseArgs } from "node:util";
import { aiSuiteRows } from "./package/ai-suite.ts";
import { manyRequestsRows, streamRows, tokenTimeRows } from "./package/engine-rows.ts";
import { fixtureRows, sizeRows } from "./package/fixture-rows.ts";
import { masksInTransformersRows } from "./package/masks-in-transformers.ts";
import { nodeSuiteRows } from "./package/node-rows.ts";
import { openAiSuiteRows } from "./package/openai-suite.ts";
import { runSections } from "./sections.ts";

const { values: options } = parseArgs({
  options: { json: { type: "boolean", default: false }, only: { type: "string" } },
});
const all = {
  fixtures: fixtureRows,
  sizes: sizeRows,
  streams: streamRows,
  many: manyRequestsRows,
  token: tokenTimeRows,
  openai: openAiSuiteRows,
  ai: aiSuiteRows,
  masks: masksInTransformersRows,
  node: nodeSuiteRows,
};
await runSections("package", all, options);
