/** `npm run bench -- layers [--json] [--only NAME,…]`: what reading and steering the layers of a model costs, in Node on WebAssembly. */
import { parseArgs } from "node:util";
import { cheerfulVector } from "./layers/cheerful.ts";
import { layersCost } from "./layers/cost.ts";
import { runSections, type Sections } from "./sections.ts";

const { values: options } = parseArgs({
  options: { json: { type: "boolean", default: false }, only: { type: "string" } },
});
const all: Sections = { cost: layersCost, cheerful: cheerfulVector };
await runSections("layers", all, options);
