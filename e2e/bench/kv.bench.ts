/** `npm run bench -- kv [--json] [--only NAME,…]`: what the key/value cache saves, in Chromium on WebAssembly: edits, next turns, backtracks, forced spans, several texts in turns, drafts. */
import { parseArgs } from "node:util";
import * as sections from "./kv/sections.ts";
import { templates } from "./kv/templates.ts";
import { runSections, type Sections } from "./sections.ts";

const { values: options } = parseArgs({
  options: { json: { type: "boolean", default: false }, only: { type: "string" } },
});
const all: Sections = {
  reads: sections.reads,
  prefixes: sections.prefixes,
  templates,
  drafts: sections.drafts,
};
await runSections("kv", all, options);
