/**
 * `npm run bench -- package [--json] [--only NAME,…]`: the packed tarball in six tools, what imports weigh, the oldest TypeScript
 * that takes the types, streams under random mods, many requests at once, what a token costs through OpenAI's calls, the suites
 * of clients, the table of clients from npm, masks in transformers.js, mods in Node. Next, the clients and the compilers are
 * installed from the registry; rows of a real model need `MIDTOKEN_MODELS`.
 */
import { parseArgs } from "node:util";
import { buildPackage, packTarball } from "../../scripts/package/build.ts";
import { aiSuiteRows } from "./package/ai-suite.ts";
import { clientRows } from "./package/client-rows.ts";
import { manyRequestsRows, streamRows, tokenTimeRows } from "./package/engine-rows.ts";
import { exampleRows } from "./package/example-rows.ts";
import { fixtureRows, sizeRows } from "./package/fixture-rows.ts";
import { longPromptRows } from "./package/long-prompt-rows.ts";
import { masksInTransformersRows } from "./package/masks-in-transformers.ts";
import { nodeSandboxRows } from "./package/node-sandbox-rows.ts";
import { openAiSuiteRows } from "./package/openai-suite.ts";
import { typeRows } from "./package/type-rows.ts";
import { runSections } from "./sections.ts";

const { values: options } = parseArgs({
  options: { json: { type: "boolean", default: false }, only: { type: "string" } },
});

let packed: Promise<string> | null = null;

/** Path of the tarball, made once. */
function tarball(): Promise<string> {
  packed ??= buildPackage().then(() => packTarball());
  return packed;
}

const all = {
  fixtures: async () => fixtureRows(await tarball()),
  examples: async () => exampleRows(await tarball()),
  clients: async () => clientRows(await tarball()),
  prompt: async () => longPromptRows(await tarball()),
  types: typeRows,
  sizes: async () => {
    await tarball();
    return sizeRows();
  },
  openai: openAiSuiteRows,
  ai: aiSuiteRows,
  streams: streamRows,
  many: manyRequestsRows,
  token: tokenTimeRows,
  masks: masksInTransformersRows,
  node: nodeSandboxRows,
};
await runSections("package", all, options);
