/** `npm run bench -- kv [--json] [--device software|gpu] [--only NAME,…]`: what the key/value cache saves, in Chromium on WebAssembly: edits, next turns, backtracks, forced spans, several texts in turns, drafts; `webgpu` has the first four on WebGPU. */
import { parseArgs } from "node:util";
import { deviceOption } from "./device-option.ts";
import * as sections from "./kv/sections.ts";
import { runSections, type Sections } from "./sections.ts";

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    device: { type: "string" },
    only: { type: "string" },
  },
});
const device = await deviceOption(options.device);
const all: Sections = {
  webgpu: () => sections.readsOnWebGpu(device),
  prefixes: sections.prefixes,
  drafts: sections.drafts,
};
await runSections("kv", all, options);
